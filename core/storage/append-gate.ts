/** A gate for calls that can be held. */
export class AppendGate {
  /** A number: a set of the promises takes more memory and time under load. */
  #running = 0;
  #held: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  /** Runs the work, or waits until the gate is open. */
  async pass<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#held !== undefined) await this.#held;
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#onIdle?.();
    }
  }

  /** Closes the gate and waits for running work; the returned function opens it. One call at a time. */
  async hold(): Promise<() => void> {
    let release: () => void = () => undefined;
    this.#held = new Promise((resolve) => {
      release = resolve;
    });
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
      this.#onIdle = undefined;
    }
    return () => {
      this.#held = undefined;
      release();
    };
  }
}
