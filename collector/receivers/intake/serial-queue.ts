/** Runs asynchronous work one at a time, in order. Keeps garbage short-lived: only one batch is materialised at a time. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Starts the work after earlier work has settled. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
