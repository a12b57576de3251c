/** A gate for calls that can be held. */
export class AppendGate {
  readonly #running = new Set<Promise<unknown>>();
  #held: Promise<void> | undefined;

  /** Runs the work, or waits until the gate is open. */
  async pass<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#held !== undefined) await this.#held;
    const running = work();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Closes the gate and waits for running work; the returned function opens it. One call at a time. */
  async hold(): Promise<() => void> {
    let release = (): void => undefined;
    this.#held = new Promise((resolve) => {
      release = () => {
        this.#held = undefined;
        resolve();
      };
    });
    await Promise.allSettled(this.#running);
    return release;
  }
}
