import { Fault } from '../core/event/fault.js';
import type { FailureReader } from '../core/reader.js';
import { press, resize } from './route.js';
import {
  eventRead,
  eventsRead,
  issueRead,
  issuesRead,
  readFailed,
  statsRead,
  visibleIssuesRead,
} from './state/read-results.js';
import { missingReads, polledReads, type Read } from './state/reads.js';
import { initialState, type TerminalState, topScreen, type WindowSize } from './state/terminal-state.js';
import type { KeyInput } from './terminal/key-parser.js';

export interface BrowserOptions {
  /** Read from until `close`; closing it is the caller's business. */
  reader: FailureReader;
  size: WindowSize;
  /** Wall clock in milliseconds since the epoch. */
  nowMs: () => number;
  /** Pause between two polls, default 1,000. */
  pollIntervalMs?: number;
}

/**
 * The state of the terminal kept up to date: keys go in, states come out, readings run beside.
 * It reads at once what the visible screen lacks, polls what may have changed, never asks the same thing twice at the same time, and
 * waits longer and longer while the collector does not answer; what was read stays. `close` is safe twice; afterwards nothing changes.
 */
export interface Browser {
  readonly state: () => TerminalState;
  /** Called after every change; answers how to stop listening. */
  subscribe(listener: () => void): () => void;
  press(input: KeyInput): void;
  resize(size: WindowSize): void;
  close(): void;
}

const POLL_INTERVAL_MS = 1_000;
/** Rows of a page: several screens, and small enough to be read again every second. */
const PAGE_ROWS = 100;

type Change = (state: TerminalState) => TerminalState;

/** Starts reading. */
export function startBrowser({ reader, size, nowMs, pollIntervalMs = POLL_INTERVAL_MS }: BrowserOptions): Browser {
  let state = initialState(size, nowMs());
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const listeners = new Set<() => void>();
  const running = new Set<string>();

  function apply(change: Change): void {
    if (isClosed) return;
    const before = state;
    state = change(before);
    if (state === before) return;
    if (topScreen(state).key !== topScreen(before).key) readAll(polledReads(state));
    readAll(missingReads(state));
    for (const listener of listeners) listener();
  }

  /** Starts the readings that are not running; while the collector is lost, only when the next try is due. */
  function readAll(reads: readonly Read[]): void {
    const { connection } = state;
    if (connection.kind === 'lost' && nowMs() < connection.retryAtMs) return;
    for (const read of reads) void readOnce(read);
  }

  async function readOnce(read: Read): Promise<void> {
    const name = JSON.stringify(read);
    if (running.has(name)) return;
    running.add(name);
    let change: Change;
    try {
      const answered = await perform(reader, read);
      change = (now) => connected(answered(now));
    } catch (error) {
      const fault = error instanceof Fault ? error : new Fault('READER_FAILED', String(error), { cause: error });
      change = (now) => readFailed(now, read, fault, nowMs());
    }
    running.delete(name);
    apply(change);
  }

  function poll(): void {
    apply((now) => ({ ...now, nowMs: nowMs() }));
    readAll(polledReads(state));
    timer = setTimeout(poll, pollIntervalMs);
  }
  poll();

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    press: (input) => apply((now) => press(now, input)),
    resize: (newSize) => apply((now) => resize(now, newSize)),
    close() {
      isClosed = true;
      clearTimeout(timer);
      listeners.clear();
    },
  };
}

function connected(state: TerminalState): TerminalState {
  return state.connection.kind === 'connected' ? state : { ...state, connection: { kind: 'connected' } };
}

/** Reads one thing and answers what it changes. */
async function perform(reader: FailureReader, read: Read): Promise<Change> {
  switch (read.what) {
    case 'stats': {
      const stats = await reader.stats();
      return (state) => statsRead(state, stats);
    }
    case 'issues': {
      const { source, cursor } = read;
      const page = await reader.listIssues({
        ...source,
        limit: PAGE_ROWS,
        ...(cursor === undefined ? {} : { cursor }),
      });
      return (state) => issuesRead(state, read, page);
    }
    case 'visible_issues': {
      const page = await reader.listIssues({ ...read.source, limit: 2 * PAGE_ROWS, cursor: read.cursor });
      return (state) => visibleIssuesRead(state, read, page);
    }
    case 'issue': {
      const issue = await reader.getIssue(read.issueId);
      return (state) => issueRead(state, read, issue);
    }
    case 'events': {
      const { issueId, cursor } = read;
      const page = await reader.listEvents(issueId, { limit: PAGE_ROWS, ...(cursor === undefined ? {} : { cursor }) });
      return (state) => eventsRead(state, read, page);
    }
    case 'event': {
      const event = await reader.getEvent(read.eventId);
      return (state) => eventRead(state, read, event);
    }
  }
}
