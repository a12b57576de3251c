import { within } from '../within.js';

interface PendingCall {
  readonly promise: Promise<unknown>;
  waiting: number;
  isSettled: boolean;
}

const RESULT_TTL_MS = 5_000;

/** Coalesces calls by key. A late result serves the next caller for five seconds, so that a source slower than every timeout is read too. */
export class PendingCalls {
  readonly #calls = new Map<string, PendingCall>();

  /** Whether a result exists or is pending. */
  has(key: string): boolean {
    return this.#calls.has(key);
  }

  /** Returns the result, or undefined after `timeoutMs` milliseconds. Throws what the call throws. */
  async run<T>(key: string, timeoutMs: number, call: () => Promise<T>): Promise<{ readonly value: T } | undefined> {
    const running = this.#calls.get(key) ?? this.#start(key, call);
    running.waiting += 1;
    try {
      // Calls of one key have one result type.
      const result = running.promise.then((value) => ({ value: value as T }));
      return await within(timeoutMs, result);
    } finally {
      running.waiting -= 1;
      if (running.isSettled) this.#forget(key, running);
    }
  }

  /** Drops all results, also of calls in flight, after something was changed. */
  clear(): void {
    this.#calls.clear();
  }

  #start(key: string, call: () => Promise<unknown>): PendingCall {
    const running: PendingCall = { promise: call(), waiting: 0, isSettled: false };
    const settled = (): void => {
      running.isSettled = true;
      if (running.waiting === 0) setTimeout(() => this.#forget(key, running), RESULT_TTL_MS).unref();
    };
    running.promise.then(settled, settled);
    this.#calls.set(key, running);
    return running;
  }

  #forget(key: string, running: PendingCall): void {
    if (this.#calls.get(key) === running) this.#calls.delete(key);
  }
}
