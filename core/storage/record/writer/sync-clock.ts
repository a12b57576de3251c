import type { Timers } from '../../../timers.js';
import { FailureStreak } from '../../files/failure-streak.js';

/** Options of a sync clock. */
interface SyncClockOptions {
  /** Syncs everything that was written without a sync. */
  readonly sync: () => Promise<void>;
  /** Milliseconds. */
  readonly intervalMs: number;
  readonly timers: Timers;
  /** Called for the first failed sync of a series; each failed one is repeated after an interval. */
  readonly onFault: (error: Error) => void;
}

/** Syncs what was written without a sync, an interval after the first of it. */
export class SyncClock {
  readonly #options: SyncClockOptions;
  readonly #failures: FailureStreak;
  #cancel: (() => void) | undefined;
  #isClosed = false;

  constructor(options: SyncClockOptions) {
    this.#options = options;
    this.#failures = new FailureStreak(options.onFault);
  }

  /** Call it after each write. */
  written(): void {
    if (this.#isClosed) return;
    this.#cancel ??= this.#options.timers.after(this.#options.intervalMs, () => void this.#run());
  }

  /** Starts no more syncs. */
  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
  }

  async #run(): Promise<void> {
    // What is written during the sync needs another one.
    this.#cancel = undefined;
    try {
      await this.#options.sync();
      this.#failures.succeeded();
    } catch (error) {
      if (!this.#isClosed) this.#failures.failed(error);
      this.written();
    }
  }
}
