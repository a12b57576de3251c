import { Fault } from '../../../event/fault.js';
import { systemTimers, type Timers } from '../../../timers.js';
import type { FailureStreak } from '../../files/failure-streak.js';
import type { CheckpointWriter } from './checkpoint-writer.js';

const CHECKPOINT_INTERVAL_MS = 5_000;
/** Bytes that a checkpoint under load may write again for each event since the last one, plus BYTES_PER_SECOND. */
const BYTES_PER_EVENT = 100;
const BYTES_PER_SECOND = 16_384;
/** Beyond this many new events a checkpoint is due at any cost: a crash replays a few seconds' work. */
const MAX_NEW_EVENTS = 100_000;
/** A start with more events to write lets nothing arrive before they are written. */
const MAX_LAG_AFTER_REPLAY = 50_000;
/** Replayed events after which a checkpoint may be worth its cost. */
const REPLAY_STEP_EVENTS = 10_000;
/**
 * How often the open segment may be sealed before it is full, so that an idle index lacks nothing. More would become as many documents: a few
 * events an hour must not have one each.
 */
const EARLY_SEALS_PER_HOUR = 12;
const HOUR_MS = 3_600_000;

/** Options of a checkpointer. */
export interface CheckpointerOptions {
  readonly writer: CheckpointWriter;
  /** Gets the failures that no caller waits for. */
  readonly failures: FailureStreak;
  /** Milliseconds between checkpoints, and without events until the index is brought up to date; default 5,000. */
  readonly intervalMs?: number | undefined;
  /** Milliseconds that the last checkpoint may take at `close`, default unlimited. */
  readonly closeTimeoutMs?: number | undefined;
  /** Default those of this process. */
  readonly timers?: Timers | undefined;
}

/**
 * Decides when checkpoints are made. Under load their bytes are in proportion to the events, and they take at most half of the time. Once no
 * event has arrived for an interval, the index is brought up to date at any cost.
 */
export class Checkpointer {
  readonly #writer: CheckpointWriter;
  readonly #failures: FailureStreak;
  readonly #intervalMs: number;
  readonly #closeTimeoutMs: number | undefined;
  readonly #timers: Timers;
  readonly #ended = new AbortController();
  readonly #openedMs: number;
  #running: Promise<unknown> = Promise.resolve();
  #isBusy = false;
  /** When the last checkpoint ended. */
  #lastMs: number;
  /** Before it no checkpoint begins under load. */
  #restUntilMs = Number.NEGATIVE_INFINITY;
  #lastAppliedMs: number;
  #replayStepEvents = REPLAY_STEP_EVENTS;
  #earlySeals = 0;
  #cancelTimer: (() => void) | undefined;
  #closed: Promise<unknown> | undefined;

  constructor({ writer, failures, intervalMs, closeTimeoutMs, timers = systemTimers }: CheckpointerOptions) {
    this.#writer = writer;
    this.#failures = failures;
    this.#intervalMs = intervalMs ?? CHECKPOINT_INTERVAL_MS;
    this.#closeTimeoutMs = closeTimeoutMs;
    this.#timers = timers;
    this.#openedMs = timers.nowMs();
    this.#lastMs = this.#openedMs;
    this.#lastAppliedMs = this.#openedMs;
    this.#startTimer();
  }

  /** Call it after each commit that was applied. */
  applied(): void {
    this.#lastAppliedMs = this.#timers.nowMs();
    if (this.#writer.newEvents > MAX_NEW_EVENTS && this.#mayBegin()) this.#begin();
  }

  /**
   * Call it after each commit that was replayed: what is worth its cost is written at once, so that a process that ends during every start makes
   * progress. Waits for a running checkpoint when the next one is due at any cost.
   */
  async replayed(): Promise<void> {
    this.#lastAppliedMs = this.#timers.nowMs();
    const { newEvents } = this.#writer;
    if (newEvents < this.#replayStepEvents) return;
    if (this.#isBusy && newEvents > MAX_NEW_EVENTS) await this.#running;
    if (!this.#mayBegin()) return;
    if (this.#isInProportion()) this.#begin();
    this.#replayStepEvents = this.#writer.newEvents + REPLAY_STEP_EVENTS;
  }

  /**
   * Call it after a replay: begins to write all of it, and resolves when at most MAX_LAG_AFTER_REPLAY events are left, when that failed, or
   * after an abort. So a process that never lives long does not replay more at each start.
   */
  async caughtUp(signal?: AbortSignal): Promise<void> {
    const { lagEvents } = this.#writer.cost();
    if (lagEvents === 0) return;
    this.#begin({ seal: this.#maySealEarly() });
    if (lagEvents <= MAX_LAG_AFTER_REPLAY || signal?.aborted === true) return;
    const aborted = new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
    await Promise.race([this.#running, aborted]);
  }

  /** Makes a checkpoint of everything up to now, after a running one; rejects if it fails. */
  async checkpoint(): Promise<void> {
    await (this.#closed ?? this.#enqueue(() => this.#write({ seal: true })));
  }

  /** Runs `work` after a running checkpoint and before the next; returns undefined if the checkpointer is closed. */
  async exclusively<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    return this.#closed === undefined ? await this.#enqueue(work) : undefined;
  }

  /** Makes a last checkpoint. Resolves even if it fails or is not finished in time: the next start replays what it lacks. */
  async close(): Promise<void> {
    this.#closed ??= this.#finish();
    await this.#closed;
  }

  /** Stops without a last checkpoint; resolves when none is running. */
  async abandon(): Promise<void> {
    this.#cancelTimer?.();
    this.#closed ??= this.#running;
    await this.#closed;
  }

  async #finish(): Promise<void> {
    this.#cancelTimer?.();
    const last = this.#enqueue(() => this.#write({ seal: true }));
    const stopWaiting = this.#closeTimeoutMs && this.#timers.after(this.#closeTimeoutMs, () => this.#end());
    await last.catch((error: unknown) => this.#failures.failed(error));
    if (stopWaiting) stopWaiting();
  }

  /** Ends the running checkpoint and those that wait. */
  #end(): void {
    const sentence = `The index was not brought up to date within ${this.#closeTimeoutMs} ms of the stop: the next start reads ${this.#writer.cost().lagEvents} events again. Nothing is lost.`;
    this.#ended.abort(new Fault('CHECKPOINT_UNFINISHED', sentence));
  }

  #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = this.#running.then(async () => {
      this.#isBusy = true;
      try {
        return await work();
      } finally {
        this.#isBusy = false;
      }
    });
    this.#running = run.catch(() => undefined);
    return run;
  }

  #begin({ seal = false } = {}): void {
    // Set here already: more commits may be applied before the work begins.
    this.#isBusy = true;
    if (seal) this.#earlySeals += 1;
    this.#enqueue(() => this.#write({ seal })).catch((error: unknown) => this.#failures.failed(error));
  }

  async #write({ seal }: { seal: boolean }): Promise<void> {
    const { signal } = this.#ended;
    const beganMs = this.#timers.nowMs();
    this.#replayStepEvents = REPLAY_STEP_EVENTS;
    try {
      const { lagEvents, bytes } = this.#writer.cost();
      if (lagEvents > 0 || bytes > 0) await this.#writer.write({ seal, signal });
    } catch (error) {
      this.#restUntilMs = this.#timers.nowMs() + this.#intervalMs;
      throw error;
    }
    this.#failures.succeeded();
    this.#lastMs = this.#timers.nowMs();
    this.#restUntilMs = this.#lastMs + (this.#lastMs - beganMs);
  }

  #startTimer(): void {
    const sinceAppliedMs = this.#timers.nowMs() - this.#lastAppliedMs;
    // An index that may become idle is looked at when it does.
    const waitMs = sinceAppliedMs < this.#intervalMs ? this.#intervalMs - sinceAppliedMs : this.#intervalMs;
    this.#cancelTimer = this.#timers.after(waitMs, () => {
      this.#startTimer();
      this.#check();
    });
  }

  #check(): void {
    const isIdle = this.#timers.nowMs() >= this.#lastAppliedMs + this.#intervalMs;
    if (!isIdle) {
      if (this.#mayBegin() && this.#isInProportion()) this.#begin();
      return;
    }
    if (this.#isBusy) {
      void this.#running.then(() => this.#closed ?? this.#check());
      return;
    }
    const { events, bytes, lagEvents } = this.#writer.cost();
    const seal = lagEvents > 0 && this.#maySealEarly();
    if (events > 0 || bytes > 0 || seal) this.#begin({ seal });
  }

  #mayBegin(): boolean {
    return !this.#isBusy && this.#closed === undefined && this.#timers.nowMs() >= this.#restUntilMs;
  }

  #isInProportion(): boolean {
    const { events, bytes } = this.#writer.cost();
    if (events === 0 && bytes === 0) return false;
    const seconds = (this.#timers.nowMs() - this.#lastMs) / 1000;
    return events > MAX_NEW_EVENTS || bytes <= events * BYTES_PER_EVENT + seconds * BYTES_PER_SECOND;
  }

  #maySealEarly(): boolean {
    const hours = (this.#timers.nowMs() - this.#openedMs) / HOUR_MS;
    return this.#earlySeals < EARLY_SEALS_PER_HOUR * (1 + hours);
  }
}
