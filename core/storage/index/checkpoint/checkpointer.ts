import type { CheckpointWriter } from './checkpoint-writer.js';
import type { WriteFailureStreak } from './write-failures.js';

/** Milliseconds between two looks at whether one is due. */
const CHECKPOINT_INTERVAL_MS = 5_000;
/** Bytes that a checkpoint may write for each event since the last one. */
const BYTES_PER_EVENT = 100;
/** And for each second: what a quiet system is allowed, so that it is soon up to date. */
const BYTES_PER_SECOND = 16_384;
/** Events that a crash may leave to be replayed, a few seconds' work: beyond this a checkpoint is due whatever it costs. */
const MAX_LAG_EVENTS = 100_000;

/**
 * Makes checkpoints on a timer, one at a time: when something changed, and when what it would write is in proportion to what happened.
 * A failed one is tried again at the next tick. `close` makes a last one and is safe twice.
 */
export class Checkpointer {
  readonly #writer: CheckpointWriter;
  readonly #failures: WriteFailureStreak;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> = Promise.resolve();
  #isIdle = true;
  #lastMs = performance.now();
  #closed: Promise<void> | undefined;

  /** `failures` hears what came of each; one that a caller waits for is left to the caller. */
  constructor(writer: CheckpointWriter, failures: WriteFailureStreak, intervalMs = CHECKPOINT_INTERVAL_MS) {
    this.#writer = writer;
    this.#failures = failures;
    this.#timer = setInterval(() => this.#tick(), intervalMs);
    this.#timer.unref();
  }

  /** Covers everything up to now, after the one that may be running; rejects when it fails. */
  checkpoint(): Promise<void> {
    return this.#enqueue({ seal: true });
  }

  /** Does something else while no checkpoint is made, after the one that may be running; undefined when no more is done. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#closed !== undefined) return Promise.resolve(undefined);
    const run = this.#running.then(async () => {
      this.#isIdle = false;
      try {
        return await work();
      } finally {
        this.#isIdle = true;
      }
    });
    this.#running = run.then(
      () => undefined,
      () => undefined,
    );
    return run;
  }

  /** Resolves also when the last checkpoint fails: what it lacks is replayed at the next start. */
  close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closed ??= this.checkpoint().catch((error: unknown) => this.#failures.failed(error));
    return this.#closed;
  }

  /** Ends without a last one; resolves when none runs any more. */
  async abandon(): Promise<void> {
    clearInterval(this.#timer);
    this.#closed ??= this.#running;
    await this.#closed;
  }

  #tick(): void {
    if (!this.#isIdle || !this.#isDue()) return;
    this.#enqueue({ seal: false }).catch((error: unknown) => this.#failures.failed(error));
  }

  #isDue(): boolean {
    const { events, bytes } = this.#writer.cost();
    if (events === 0 && bytes === 0) return false;
    const seconds = (performance.now() - this.#lastMs) / 1000;
    return events > MAX_LAG_EVENTS || bytes <= events * BYTES_PER_EVENT + seconds * BYTES_PER_SECOND;
  }

  #enqueue(options: { seal: boolean }): Promise<void> {
    if (this.#closed !== undefined) return this.#closed;
    const run = this.#running.then(() => this.#run(options));
    this.#running = run.catch(() => undefined);
    return run;
  }

  async #run(options: { seal: boolean }): Promise<void> {
    this.#isIdle = false;
    try {
      const { lagEvents, bytes } = this.#writer.cost();
      if (lagEvents > 0 || bytes > 0) await this.#writer.write(options);
      this.#failures.succeeded();
      this.#lastMs = performance.now();
    } finally {
      this.#isIdle = true;
    }
  }
}
