/** Counts work that runs, so that a shutdown can wait for its end. */
export class RunningWork {
  #running = 0;
  #idle: (() => void)[] = [];

  /** Counts until the work is done; answers what it answers. */
  track<T>(work: Promise<T>): Promise<T> {
    this.#running += 1;
    return work.finally(() => {
      this.#running -= 1;
      if (this.#running === 0) for (const resolve of this.#idle.splice(0)) resolve();
    });
  }

  /** Resolves when nothing runs. */
  ended(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }
}
