import type { Batch, Consumer, Outcome } from '../pipeline.js';

/**
 * A place between two components of the line. What comes after it may be changed while batches pass: those that are on their way end where they were
 * sent, and `idle` tells when none is left.
 */
export class Passage implements Consumer {
  #next: Consumer;
  #running = 0;
  #holds = 0;
  #held: Promise<void> | undefined;
  #letGo: () => void = () => undefined;
  #waiting: (() => void)[] = [];

  constructor(next: Consumer) {
    this.#next = next;
  }

  // Not async: the frame of an async function holds until its end whatever it was given.
  consume(batch: Batch): Promise<readonly Outcome[]> {
    if (this.#held !== undefined) return this.#held.then(() => this.consume(batch));
    const outcomes = this.#next.consume(batch);
    this.#running += 1;
    return outcomes.finally(() => this.#ended());
  }

  /** From now on batches go to another consumer. */
  turn(next: Consumer): void {
    this.#next = next;
  }

  /** Lets batches wait; what is answered, called once, lets them go on where nobody else holds them, to whatever consumer is the next one then. */
  hold(): () => void {
    this.#holds += 1;
    this.#held ??= new Promise((resolve) => {
      this.#letGo = resolve;
    });
    return () => {
      this.#holds -= 1;
      if (this.#holds > 0) return;
      this.#held = undefined;
      this.#letGo();
    };
  }

  /** Resolves when no batch is on its way; those that wait are not. */
  async idle(): Promise<void> {
    while (this.#running > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #ended(): void {
    this.#running -= 1;
    if (this.#running > 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
