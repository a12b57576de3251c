import type { CheckpointWriter } from './checkpoint-writer.js';
import type { WriteFailureStreak } from './write-failures.js';

const CHECKPOINT_INTERVAL_MS = 5_000;
/** Bytes that a checkpoint may write for each event since the last one, plus BYTES_PER_SECOND, so that a quiet system soon is covered. */
const BYTES_PER_EVENT = 100;
const BYTES_PER_SECOND = 16_384;
/** Beyond this many uncovered events a checkpoint is due at any cost: a crash replays a few seconds' work. */
const MAX_LAG_EVENTS = 100_000;

/** Makes checkpoints on a timer, if their bytes are in proportion to what changed, and a last one at `close`. */
export class Checkpointer {
  readonly #writer: CheckpointWriter;
  readonly #failures: WriteFailureStreak;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> = Promise.resolve();
  #isIdle = true;
  #lastMs = performance.now();
  #closed: Promise<void> | undefined;

  /** `failures` gets the failures that no caller waits for. */
  constructor(writer: CheckpointWriter, failures: WriteFailureStreak, intervalMs = CHECKPOINT_INTERVAL_MS) {
    this.#writer = writer;
    this.#failures = failures;
    this.#timer = setInterval(() => this.#tick(), intervalMs);
    this.#timer.unref();
  }

  /** Makes a checkpoint of everything up to now, after a running one; rejects if it fails. */
  checkpoint(): Promise<void> {
    return this.#closed ?? this.#enqueue(() => this.#write({ seal: true }));
  }

  /** Runs `work` after a running checkpoint and before the next; returns undefined if the checkpointer is closed. */
  async exclusively<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    return this.#closed === undefined ? await this.#enqueue(work) : undefined;
  }

  /** Resolves even if the last checkpoint fails: the next start replays what it lacks. */
  close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closed ??= this.checkpoint().catch((error: unknown) => this.#failures.failed(error));
    return this.#closed;
  }

  /** Stops without a last checkpoint; resolves when none is running. */
  async abandon(): Promise<void> {
    clearInterval(this.#timer);
    this.#closed ??= this.#running;
    await this.#closed;
  }

  #tick(): void {
    if (!this.#isIdle || !this.#isDue()) return;
    this.#enqueue(() => this.#write({ seal: false })).catch((error: unknown) => this.#failures.failed(error));
  }

  #isDue(): boolean {
    const { events, bytes } = this.#writer.cost();
    if (events === 0 && bytes === 0) return false;
    const seconds = (performance.now() - this.#lastMs) / 1000;
    return events > MAX_LAG_EVENTS || bytes <= events * BYTES_PER_EVENT + seconds * BYTES_PER_SECOND;
  }

  #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
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

  async #write(options: { seal: boolean }): Promise<void> {
    const { lagEvents, bytes } = this.#writer.cost();
    if (lagEvents > 0 || bytes > 0) await this.#writer.write(options);
    this.#failures.succeeded();
    this.#lastMs = performance.now();
  }
}
