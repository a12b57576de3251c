/** Runs asynchronous work one at a time, in order. For batches this keeps garbage short-lived: only one is materialised at a time. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Starts the work after earlier work has settled. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
