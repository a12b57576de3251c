/** One listening: what rings from its beginning on counts. */
export interface Listening {
  /** Resolves once so many events have arrived, the time is over (absent: never), the signal is aborted, or the bell is closed. */
  untilRung(events: number, timeoutMs: number | undefined, signal: AbortSignal): Promise<void>;
}

/** Wakes the one who waits for events. Ringing costs an addition and a comparison. */
export class ArrivalSignal {
  #rung = 0;
  #wakeAt = Number.POSITIVE_INFINITY;
  #wake: () => void = () => undefined;
  #isClosed = false;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  ring(events: number): void {
    this.#rung += events;
    if (this.#rung >= this.#wakeAt) this.#wake();
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** Begins before the look at what is there, so that nothing that comes meanwhile is missed. */
  listen(): Listening {
    const begun = this.#rung;
    return { untilRung: (events, timeoutMs, signal) => this.#until(begun + events, timeoutMs, signal) };
  }

  #until(rung: number, timeoutMs: number | undefined, signal: AbortSignal): Promise<void> {
    if (this.#rung >= rung || signal.aborted || this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => this.#wake(), timeoutMs);
      const wake = (): void => {
        this.#wakeAt = Number.POSITIVE_INFINITY;
        this.#wake = () => undefined;
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#wakeAt = rung;
      this.#wake = wake;
      signal.addEventListener('abort', wake);
    });
  }
}
