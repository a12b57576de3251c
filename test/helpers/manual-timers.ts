import type { Timers } from '../../core/timers.js';

interface WaitingWork {
  readonly dueMs: number;
  readonly work: () => void;
}

/** A clock that only a test moves. */
export class ManualTimers implements Timers {
  #nowMs = 0;
  readonly #waiting = new Set<WaitingWork>();

  nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, work: () => void): () => void {
    const waiting = { dueMs: this.#nowMs + delayMs, work };
    this.#waiting.add(waiting);
    return () => void this.#waiting.delete(waiting);
  }

  /** Moves the clock and calls what is due, in order of time, without waiting for what that begins. */
  advance(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (let next = this.#next(endMs); next !== undefined; next = this.#next(endMs)) {
      this.#waiting.delete(next);
      this.#nowMs = next.dueMs;
      next.work();
    }
    this.#nowMs = endMs;
  }

  #next(endMs: number): WaitingWork | undefined {
    const due = [...this.#waiting].filter(({ dueMs }) => dueMs <= endMs);
    return due.sort((a, b) => a.dueMs - b.dueMs)[0];
  }
}
