import { Fault } from '../../../core/event/fault.js';
import type { EventStore } from '../../../core/storage/event-store.js';
import { wait } from './retrying.js';

/** The store that an exporter follows; asked between its `start` and `shutdown`. */
export interface FollowedStore {
  following(): Pick<EventStore, 'follow'>;
}

/** Grace period of a running request on stop. */
const LAST_REQUEST_MS = 800;
const TROUBLE_WAIT_MS = 5_000;

/** Runs work until stopped and restarts it after unexpected failures. */
export class RunningSender {
  readonly #troubleWaitMs: number;
  readonly #stop = new AbortController();
  readonly #abort = new AbortController();
  readonly #running: Promise<void>[] = [];

  /** `troubleWaitMs`: delay before failed work restarts. */
  constructor(troubleWaitMs = TROUBLE_WAIT_MS) {
    this.#troubleWaitMs = troubleWaitMs;
  }

  /** Ends tries and waits. */
  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  /** Ends a running request, a little later. */
  get abort(): AbortSignal {
    return this.#abort.signal;
  }

  /** Runs work that ends with `stop`; restarts it when it rejects and reports why without event data; ends when it resolves. */
  run(work: () => Promise<void>, onTrouble: (reason: string) => void): void {
    this.#running.push(this.#untilStopped(work, onTrouble));
  }

  /** Stops all work and waits for it; a running request has 0.8 s. Idempotent. */
  async end(): Promise<void> {
    this.#stop.abort();
    const timer = setTimeout(() => this.#abort.abort(), LAST_REQUEST_MS);
    await Promise.all(this.#running);
    clearTimeout(timer);
  }

  async #untilStopped(work: () => Promise<void>, onTrouble: (reason: string) => void): Promise<void> {
    while (!this.stop.aborted) {
      try {
        return await work();
      } catch (error) {
        if (this.stop.aborted) return;
        onTrouble(reasonOf(error));
        await wait(this.#troubleWaitMs, this.stop);
      }
    }
  }
}

/** Messages of unexpected errors may quote the event. */
function reasonOf(error: unknown): string {
  if (error instanceof Fault) return error.message;
  return `it failed: ${error instanceof Error ? error.name : typeof error}`;
}
