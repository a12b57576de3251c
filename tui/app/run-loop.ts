import { Fault } from '../../core/event/fault.js';
import { afterFailure, isUnauthorized } from '../readers/connection.js';
import type { Outside } from '../state/effect-context.js';
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
} from '../state/terminal-state.js';
import type { KeyInput } from '../terminal/key-parser.js';
import { logicOf } from './screen-table.js';
import { press, resize } from './update.js';

export interface BrowserOptions extends Omit<StartOptions, 'nowMs'> {
  /** What is read from and acted through until `close`; closing its reader is the caller's business. */
  outside: Outside;
  /** Wall clock in milliseconds since the epoch. */
  nowMs: () => number;
  /** Pause between two polls, default 1,000. */
  pollIntervalMs?: number;
}

/**
 * The state of the terminal kept up to date: keys go in, states come out, readings and effects run beside.
 * It reads at once what the visible screen lacks, polls what may have changed, never asks the same thing twice at the same time, and
 * waits longer and longer while the collector does not answer or wants a token; what was read stays. Effects run one after the other. `close` is safe twice; afterwards nothing changes.
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
/** The same thing is read so often between two polls: a screen that is never content must not ask a collector without end. */
const MAX_REPEATS = 20;

/** Starts reading. */
export function startBrowser({ outside, nowMs, pollIntervalMs = POLL_INTERVAL_MS, ...start }: BrowserOptions): Browser {
  let state = initialState({ ...start, nowMs: nowMs() });
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let effects = Promise.resolve();
  /** Effects that are through: a reading that was under way meanwhile may tell how things were before. */
  let completedEffects = 0;
  const listeners = new Set<() => void>();
  const running = new Set<string>();
  /** How often each thing was read since the last poll. */
  const repeats = new Map<string, number>();

  function apply(change: StateChange): void {
    if (isClosed) return;
    const before = state;
    state = change(before);
    if (state === before) return;
    const { pendingEffects: asked } = state;
    if (asked.length > 0) state = { ...state, pendingEffects: [] };
    for (const effect of asked) effects = effects.then(() => perform(effect));
    if (topScreen(state).key !== topScreen(before).key) readAll(polled());
    readAll(logicOf(topScreen(state)).missing(state));
    for (const listener of listeners) listener();
  }

  async function perform(effect: StateEffect): Promise<void> {
    if (isClosed) return;
    try {
      const change = await effect.perform(outside);
      completedEffects += 1;
      apply(change);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      apply((now) => ({ ...now, notice: { text, tone: 'error' } }));
    }
    // What was done is seen at once.
    readAll(polled());
  }

  const polled = (): readonly StateRead[] => [READ_STATS, READ_ACCESS, ...logicOf(topScreen(state)).polled(state)];

  /** Starts the readings that are not running; while the collector is lost, only when the next try is due. */
  function readAll(reads: readonly StateRead[]): void {
    const { connection } = state;
    if (connection.kind === 'lost' && nowMs() < connection.retryAtMs) return;
    for (const read of reads) void readOnce(read);
  }

  async function readOnce(read: StateRead): Promise<void> {
    const repeated = repeats.get(read.name) ?? 0;
    if (running.has(read.name) || repeated >= MAX_REPEATS) return;
    repeats.set(read.name, repeated + 1);
    running.add(read.name);
    const doneBefore = completedEffects;
    let change: StateChange;
    try {
      const answered = await read.perform(outside.reader);
      change = (now) => connected(answered(now));
    } catch (error) {
      const fault = error instanceof Fault ? error : new Fault('READER_FAILED', String(error), { cause: error });
      const failure = { reason: fault.message, isUnauthorized: isUnauthorized(fault) };
      change =
        read.onFault?.(fault) ?? ((now) => ({ ...now, connection: afterFailure(now.connection, failure, nowMs()) }));
    }
    running.delete(read.name);
    if (completedEffects !== doneBefore && !isClosed) return await readOnce(read);
    apply(change);
  }

  function poll(): void {
    repeats.clear();
    // What is read aloud stays as it is until a key is pressed.
    if (!state.habits.isForScreenReader) apply((now) => ({ ...now, nowMs: nowMs() }));
    readAll(polled());
    timer = setTimeout(poll, pollIntervalMs);
  }
  poll();

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    press: (input) => apply((now) => press({ ...now, nowMs: nowMs() }, input)),
    resize: (size) => apply((now) => resize(now, size)),
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
