import { Fault } from '../../../core/event/fault.js';
import { untilDone } from '../../component/until-done.js';

const GRACE_MS = 800;
const RESTART_DELAY_MS = 5_000;

/** Runs work until stopped; restarts it after unexpected failures. */
export class RunningSender {
  readonly #restartDelayMs: number;
  readonly #stopping = new AbortController();
  readonly #aborting = new AbortController();
  readonly #running: Promise<void>[] = [];

  constructor(restartDelayMs = RESTART_DELAY_MS) {
    this.#restartDelayMs = restartDelayMs;
  }

  /** Ends retries and delays. */
  get stop(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Ends a running request, a little later. */
  get abort(): AbortSignal {
    return this.#aborting.signal;
  }

  /** Runs work until it resolves; it must end with `stop`. If it rejects, calls `onFailure` without event data and restarts it. */
  run(work: () => Promise<void>, onFailure: (reason: string) => void): void {
    const { stop } = this;
    const report = (error: unknown): void => {
      if (!stop.aborted) onFailure(reasonOf(error));
    };
    this.#running.push(untilDone(work, { stop, firstMs: this.#restartDelayMs, onFailure: report }));
  }

  /** Stops all work and waits for it; a running request has 0.8 s. Idempotent. */
  async end(): Promise<void> {
    this.#stopping.abort();
    const timer = setTimeout(() => this.#aborting.abort(), GRACE_MS);
    await Promise.all(this.#running);
    clearTimeout(timer);
  }
}

/** Messages of unexpected errors may quote the event. */
export function reasonOf(error: unknown): string {
  if (error instanceof Fault) return error.message;
  return `it failed: ${error instanceof Error ? error.name : typeof error}`;
}
