/**
 * Lets long pieces of work run one at a time, in the order in which they asked, although each of them lets the event loop turn. So what one of them
 * makes is soon done with, instead of all of them growing up together.
 */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Does the work when those before are done, however they ended. */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
