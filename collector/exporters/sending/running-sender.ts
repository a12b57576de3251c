import { Fault } from '../../../core/event/fault.js';
import type { EventStore } from '../../../core/storage/event-store.js';
import { wait } from './retrying.js';

/** The store that an exporter follows; `following` is called between its `start` and `shutdown`. */
export interface FollowedStore {
  following(): Pick<EventStore, 'follow'>;
}

const GRACE_MS = 800;
const RESTART_DELAY_MS = 5_000;

/** Runs work until stopped and restarts it after unexpected failures. */
export class RunningSender {
  readonly #restartDelayMs: number;
  readonly #stop = new AbortController();
  readonly #abort = new AbortController();
  readonly #running: Promise<void>[] = [];

  constructor(restartDelayMs = RESTART_DELAY_MS) {
    this.#restartDelayMs = restartDelayMs;
  }

  /** Ends retries and delays. */
  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  /** Ends a running request, a little later. */
  get abort(): AbortSignal {
    return this.#abort.signal;
  }

  /** Runs work until it resolves; it must end with `stop`. If it rejects, calls `onFailure` without event data and restarts it. */
  run(work: () => Promise<void>, onFailure: (reason: string) => void): void {
    this.#running.push(this.#untilStopped(work, onFailure));
  }

  /** Stops all work and waits for it; a running request has 0.8 s. Idempotent. */
  async end(): Promise<void> {
    this.#stop.abort();
    const timer = setTimeout(() => this.#abort.abort(), GRACE_MS);
    await Promise.all(this.#running);
    clearTimeout(timer);
  }

  async #untilStopped(work: () => Promise<void>, onFailure: (reason: string) => void): Promise<void> {
    while (!this.stop.aborted) {
      try {
        return await work();
      } catch (error) {
        if (this.stop.aborted) return;
        onFailure(reasonOf(error));
        await wait(this.#restartDelayMs, this.stop);
      }
    }
  }
}

/** Messages of unexpected errors may quote the event. */
export function reasonOf(error: unknown): string {
  if (error instanceof Fault) return error.message;
  return `it failed: ${error instanceof Error ? error.name : typeof error}`;
}
