import { beginTimeSlice } from '../../../core/time-slice.js';

/** How long waiting tasks run in one turn. */
const RUN_MS = 4;

/** Spreads short tasks over turns of the event loop, in their order: with many connections, hundreds of requests arrive in one turn. */
export class TurnQueue {
  #waiting: (() => void)[] = [];

  /** Runs a task, at once while this turn has time left. */
  run(task: () => void): void {
    if (this.#waiting.length === 0 && !beginTimeSlice().isOver) {
      task();
      return;
    }
    this.#waiting.push(task);
    if (this.#waiting.length === 1) setImmediate(() => this.#runWaiting());
  }

  #runWaiting(): void {
    const endsAtMs = performance.now() + RUN_MS;
    const tasks = this.#waiting;
    let done = 0;
    for (const task of tasks) {
      task();
      done++;
      if (performance.now() >= endsAtMs) break;
    }
    this.#waiting = tasks.slice(done);
    if (this.#waiting.length > 0) setImmediate(() => this.#runWaiting());
  }
}
