import { Fault, messageOf } from '../../core/event/fault.js';
import { afterFailure, isUnauthorized } from '../../core/merged/connection.js';
import type { EffectContext } from '../state/effect-context.js';
import { READ_ACCESS, READ_STATS } from '../state/read-stats.js';
import {
  initialState,
  type StartOptions,
  type StateChange,
  type StateEffect,
  type StateRead,
  type TerminalState,
  topScreen,
  type WindowSize,
  withNotice,
} from '../state/terminal-state.js';
import type { KeyInput } from '../terminal/key-parser.js';
import { logicOf } from './screen-table.js';
import { press, resize } from './update.js';

export interface BrowserOptions extends Omit<StartOptions, 'nowMs'> {
  /** Used until `close`; the caller closes its reader. */
  outside: EffectContext;
  /** Milliseconds since the epoch. */
  nowMs: () => number;
  /** Default 1,000. */
  pollIntervalMs?: number | undefined;
}

const POLL_INTERVAL_MS = 1_000;
/** Maximum number of reads of one name between two polls; bounds the requests of a screen that is always missing data. */
const MAX_REPEATS = 20;

/** See `startBrowser`. */
export type Browser = ReturnType<typeof startBrowser>;

/** Starts the run loop: keys go in, states come out; one read per name at a time, after failures backed off with the data kept; effects in order. */
export function startBrowser({ outside, nowMs, pollIntervalMs = POLL_INTERVAL_MS, ...start }: BrowserOptions) {
  let state = initialState({ ...start, nowMs: nowMs() });
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let effects = Promise.resolve();
  /** A read that overlapped a completed effect may be stale and is repeated. */
  let completedEffects = 0;
  const listeners = new Set<() => void>();
  const running = new Set<string>();
  /** Reads that wait for their delay, by name. */
  const delayed = new Map<string, { readonly version: string; readonly timer: NodeJS.Timeout }>();
  /** Number of reads by name since the last poll. */
  const repeats = new Map<string, number>();

  function apply(change: StateChange): void {
    if (isClosed) return;
    const before = state;
    state = change(before);
    if (state === before) return;
    const { pendingEffects } = state;
    if (pendingEffects.length > 0) state = { ...state, pendingEffects: [] };
    for (const effect of pendingEffects) effects = effects.then(() => perform(effect));
    if (topScreen(state).key !== topScreen(before).key) readAll(polled());
    const missing = logicOf(topScreen(state)).missing(state);
    for (const [name, { timer: waiting }] of delayed) {
      if (missing.some((read) => read.name === name)) continue;
      clearTimeout(waiting);
      delayed.delete(name);
    }
    readAll(missing);
    for (const listener of listeners) listener();
  }

  async function perform(effect: StateEffect): Promise<void> {
    if (isClosed) return;
    try {
      const change = await effect.perform(outside);
      completedEffects += 1;
      apply(change);
    } catch (error) {
      apply((now) => withNotice(now, messageOf(error), 'error'));
    }
    // The result of the effect is visible at once.
    readAll(polled());
  }

  const polled = (): readonly StateRead[] => [READ_STATS, READ_ACCESS, ...logicOf(topScreen(state)).polled(state)];

  /** Starts reads that are not in flight; while the connection is lost, only when the next retry is due. */
  function readAll(reads: readonly StateRead[]): void {
    const { connection } = state;
    if (connection.kind === 'lost' && nowMs() < connection.retryAtMs) return;
    for (const read of reads) {
      if (read.delay === undefined) void readOnce(read);
      else readLater(read, read.delay);
    }
  }

  /** Starts a read once it was wanted for its delay, and no other one of its name is in flight. */
  function readLater(read: StateRead, { ms, version }: NonNullable<StateRead['delay']>): void {
    const before = delayed.get(read.name);
    if (running.has(read.name) || before?.version === version) return;
    clearTimeout(before?.timer);
    const timer = setTimeout(() => {
      delayed.delete(read.name);
      void readOnce(read);
    }, ms);
    delayed.set(read.name, { version, timer });
  }

  async function readOnce(read: StateRead): Promise<void> {
    const repeated = repeats.get(read.name) ?? 0;
    if (running.has(read.name) || repeated >= MAX_REPEATS) return;
    repeats.set(read.name, repeated + 1);
    running.add(read.name);
    const doneBefore = completedEffects;
    let change: StateChange;
    try {
      const loaded = await read.perform(outside.reader);
      change = (now) => connected(loaded(now));
    } catch (error) {
      const fault = error instanceof Fault ? error : new Fault('READER_FAILED', String(error), { cause: error });
      const failure = { reason: fault.message, isUnauthorized: isUnauthorized(fault) };
      change =
        read.onFault?.(fault) ?? ((now) => ({ ...now, connection: afterFailure(now.connection, failure, nowMs()) }));
    }
    running.delete(read.name);
    if (completedEffects !== doneBefore && !isClosed) return await readOnce(read);
    const before = state;
    apply(change);
    // A late response changes nothing, and the read that waited for it may start.
    if (read.delay !== undefined && state === before && !isClosed) readAll(logicOf(topScreen(state)).missing(state));
  }

  function poll(): void {
    repeats.clear();
    // A screen reader must not read ages again with every poll.
    if (!state.habits.isForScreenReader) apply((now) => ({ ...now, nowMs: nowMs() }));
    readAll(polled());
    timer = setTimeout(poll, pollIntervalMs);
  }
  poll();

  return {
    state: (): TerminalState => state,
    /** Calls `listener` after every change; returns a function that unsubscribes. */
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    press(input: KeyInput): void {
      const atMs = nowMs();
      apply((now) => press({ ...now, nowMs: atMs, keyAtMs: atMs }, input));
    },
    resize: (size: WindowSize): void => apply((now) => resize(now, size)),
    close(): void {
      isClosed = true;
      clearTimeout(timer);
      for (const one of delayed.values()) clearTimeout(one.timer);
      listeners.clear();
    },
  };
}

function connected(state: TerminalState): TerminalState {
  return state.connection.kind === 'connected' ? state : { ...state, connection: { kind: 'connected' } };
}
