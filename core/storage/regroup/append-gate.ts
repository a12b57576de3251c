/** Lets calls through until it is held, and tells when those that went through are done. */
export class AppendGate {
  #inside = 0;
  #held: Promise<void> | undefined;
  #onEmpty: (() => void) | undefined;

  /** Begins the work at once, or when the gate is open again. */
  async pass<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#held !== undefined) await this.#held;
    this.#inside += 1;
    try {
      return await work();
    } finally {
      this.#inside -= 1;
      if (this.#inside === 0) this.#onEmpty?.();
    }
  }

  /** Lets nothing more through until the answer is called; resolves when nothing is inside any more. One at a time. */
  async hold(): Promise<() => void> {
    let letGo: () => void = () => undefined;
    this.#held = new Promise((resolve) => {
      letGo = resolve;
    });
    if (this.#inside > 0) {
      await new Promise<void>((resolve) => {
        this.#onEmpty = resolve;
      });
      this.#onEmpty = undefined;
    }
    return () => {
      this.#held = undefined;
      letGo();
    };
  }
}
