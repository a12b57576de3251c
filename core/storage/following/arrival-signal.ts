/** A subscription; it sees every notification after it was created. */
interface Subscription {
  /** Resolves when this number of events has arrived, the timeout (absent: none) expires, the signal aborts, or the source closes. */
  waitFor(events: number, timeoutMs: number | undefined, signal: AbortSignal): Promise<void>;
}

/** Wakes one waiter for new events; a notification costs an addition and a comparison. */
export class ArrivalSignal {
  #arrived = 0;
  #wakeAt = Number.POSITIVE_INFINITY;
  #wake: () => void = () => undefined;
  isClosed = false;

  notify(events: number): void {
    this.#arrived += events;
    if (this.#arrived >= this.#wakeAt) this.#wake();
  }

  close(): void {
    this.isClosed = true;
    this.#wake();
  }

  /** Subscribe before reading what is there, so that no arrival is missed. */
  subscribe(): Subscription {
    const before = this.#arrived;
    return { waitFor: (events, timeoutMs, signal) => this.#waitUntil(before + events, timeoutMs, signal) };
  }

  #waitUntil(arrived: number, timeoutMs: number | undefined, signal: AbortSignal): Promise<void> {
    if (this.#arrived >= arrived || signal.aborted || this.isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => this.#wake(), timeoutMs);
      const wake = (): void => {
        this.#wakeAt = Number.POSITIVE_INFINITY;
        this.#wake = () => undefined;
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#wakeAt = arrived;
      this.#wake = wake;
      signal.addEventListener('abort', wake);
    });
  }
}
