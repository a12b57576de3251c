import { Fault } from '../../../core/event/fault.js';
import type { EventStore } from '../../../core/storage/event-store.js';
import { wait } from './retrying.js';

/** The store that an exporter follows; asked between its `start` and `shutdown`. */
export interface FollowedStore {
  following(): Pick<EventStore, 'follow'>;
}

/** How long a running request may take when it is told to stop. */
const LAST_REQUEST_MS = 800;
const TROUBLE_WAIT_MS = 5_000;

/** Work that sends until it is told to stop, and begins again after what goes wrong on our side. */
export class RunningSender {
  readonly #troubleWaitMs: number;
  readonly #stop = new AbortController();
  readonly #abort = new AbortController();
  readonly #running: Promise<void>[] = [];

  /** `troubleWaitMs`: after how long work that failed begins again. */
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

  /** Begins work that ends with `stop`. Where it rejects it begins again, and `onTrouble` hears why, in words that hold nothing of events; where it resolves it is over. */
  run(work: () => Promise<void>, onTrouble: (reason: string) => void): void {
    this.#running.push(this.#untilStopped(work, onTrouble));
  }

  /** Tells all work to stop and waits for it; a request that runs has 0.8 s. Safe twice. */
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

/** Never the words of what nobody raised on purpose: they may hold the event's. */
function reasonOf(error: unknown): string {
  if (error instanceof Fault) return error.message;
  return `it failed: ${error instanceof Error ? error.name : typeof error}`;
}
