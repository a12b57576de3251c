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

/** A read that waits for its delay. */
interface DelayedRead {
  readonly version: string;
  readonly timer: NodeJS.Timeout;
}

/** The run loop: keys go in, states come out; one read per name at a time, after failures backed off with the data kept; effects in order. */
export class Browser {
  readonly #outside: EffectContext;
  readonly #nowMs: () => number;
  readonly #pollIntervalMs: number;
  #state: TerminalState;
  #isClosed = false;
  #pollTimer: NodeJS.Timeout | undefined;
  /** Settles once the effects that were started are done. */
  #effects = Promise.resolve();
  /** A read that overlapped a completed effect may be stale and is repeated. */
  #completedEffects = 0;
  readonly #listeners = new Set<() => void>();
  /** Names of the reads that are in flight. */
  readonly #running = new Set<string>();
  readonly #delayed = new Map<string, DelayedRead>();
  /** Number of reads by name since the last poll. */
  readonly #repeats = new Map<string, number>();

  /** Starts reading at once. */
  constructor({ outside, nowMs, pollIntervalMs = POLL_INTERVAL_MS, ...start }: BrowserOptions) {
    this.#outside = outside;
    this.#nowMs = nowMs;
    this.#pollIntervalMs = pollIntervalMs;
    this.#state = initialState({ ...start, nowMs: nowMs() });
    this.#poll();
  }

  readonly state = (): TerminalState => this.#state;

  /** Calls `listener` after every change; returns a function that unsubscribes. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  press(input: KeyInput): void {
    const atMs = this.#nowMs();
    this.#apply((state) => press({ ...state, nowMs: atMs, keyAtMs: atMs }, input));
  }

  resize(size: WindowSize): void {
    this.#apply((state) => resize(state, size));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#pollTimer);
    for (const { timer } of this.#delayed.values()) clearTimeout(timer);
    this.#listeners.clear();
  }

  #apply(change: StateChange): void {
    if (this.#isClosed) return;
    const before = this.#state;
    this.#state = change(before);
    if (this.#state === before) return;
    this.#startEffects();
    if (topScreen(this.#state).key !== topScreen(before).key) this.#startReads(this.#polledReads());
    const missing = this.#missingReads();
    this.#dropDelayedExcept(missing);
    this.#startReads(missing);
    for (const listener of this.#listeners) listener();
  }

  #startEffects(): void {
    const { pendingEffects } = this.#state;
    if (pendingEffects.length > 0) this.#state = { ...this.#state, pendingEffects: [] };
    for (const effect of pendingEffects) this.#effects = this.#effects.then(() => this.#perform(effect));
  }

  async #perform(effect: StateEffect): Promise<void> {
    if (this.#isClosed) return;
    try {
      const change = await effect.perform(this.#outside);
      this.#completedEffects += 1;
      this.#apply(change);
    } catch (error) {
      this.#apply((state) => withNotice(state, messageOf(error), 'error'));
    }
    // The result of the effect is visible at once.
    this.#startReads(this.#polledReads());
  }

  #polledReads(): readonly StateRead[] {
    return [READ_STATS, READ_ACCESS, ...logicOf(topScreen(this.#state)).polled(this.#state)];
  }

  #missingReads(): readonly StateRead[] {
    return logicOf(topScreen(this.#state)).missing(this.#state);
  }

  /** Starts reads that are not in flight; while the connection is lost, only when the next retry is due. */
  #startReads(reads: readonly StateRead[]): void {
    const { connection } = this.#state;
    if (connection.kind === 'lost' && this.#nowMs() < connection.retryAtMs) return;
    for (const read of reads) {
      if (read.delay === undefined) void this.#readOnce(read);
      else this.#readLater(read, read.delay);
    }
  }

  /** Starts a read once it was wanted for its delay, and no other one of its name is in flight. */
  #readLater(read: StateRead, { ms, version }: NonNullable<StateRead['delay']>): void {
    const before = this.#delayed.get(read.name);
    if (this.#running.has(read.name) || before?.version === version) return;
    clearTimeout(before?.timer);
    const timer = setTimeout(() => {
      this.#delayed.delete(read.name);
      void this.#readOnce(read);
    }, ms);
    this.#delayed.set(read.name, { version, timer });
  }

  #dropDelayedExcept(reads: readonly StateRead[]): void {
    for (const [name, { timer }] of this.#delayed) {
      if (reads.some((read) => read.name === name)) continue;
      clearTimeout(timer);
      this.#delayed.delete(name);
    }
  }

  async #readOnce(read: StateRead): Promise<void> {
    const repeated = this.#repeats.get(read.name) ?? 0;
    if (this.#running.has(read.name) || repeated >= MAX_REPEATS) return;
    this.#repeats.set(read.name, repeated + 1);
    this.#running.add(read.name);
    const effectsBefore = this.#completedEffects;
    const change = await this.#changeOf(read);
    this.#running.delete(read.name);
    if (this.#completedEffects !== effectsBefore && !this.#isClosed) return await this.#readOnce(read);
    const before = this.#state;
    this.#apply(change);
    // A late response changes nothing, and the read that waited for it may start.
    if (read.delay !== undefined && this.#state === before && !this.#isClosed) this.#startReads(this.#missingReads());
  }

  /** Performs a read; a failure becomes a change of the connection, unless the read has its own answer. */
  async #changeOf(read: StateRead): Promise<StateChange> {
    try {
      const change = await read.perform(this.#outside.reader);
      return (state) => connected(change(state));
    } catch (error) {
      const fault = error instanceof Fault ? error : new Fault('READER_FAILED', String(error), { cause: error });
      const failure = { reason: fault.message, isUnauthorized: isUnauthorized(fault) };
      const disconnected: StateChange = (state) => ({
        ...state,
        connection: afterFailure(state.connection, failure, this.#nowMs()),
      });
      return read.onFault?.(fault) ?? disconnected;
    }
  }

  #poll(): void {
    this.#repeats.clear();
    // A screen reader must not read ages again with every poll.
    if (!this.#state.habits.isForScreenReader) this.#apply((state) => ({ ...state, nowMs: this.#nowMs() }));
    this.#startReads(this.#polledReads());
    this.#pollTimer = setTimeout(() => this.#poll(), this.#pollIntervalMs);
  }
}

function connected(state: TerminalState): TerminalState {
  return state.connection.kind === 'connected' ? state : { ...state, connection: { kind: 'connected' } };
}
