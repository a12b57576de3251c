import type { LateSpansClock } from '../../../../collector/receivers/otlp/late-spans.js';

/** A clock that stands still until a test lets time pass. */
export interface ManualClock extends LateSpansClock {
  /** How many timers were ever set. */
  readonly timersSet: number;
  /** How many of them neither rang nor were called off. */
  readonly timersRunning: number;
  pass(ms: number): void;
}

export function createManualClock(): ManualClock {
  let nowMs = 0;
  let timersSet = 0;
  const timers = new Map<number, { readonly atMs: number; readonly done: () => void }>();
  return {
    get timersSet() {
      return timersSet;
    },
    get timersRunning() {
      return timers.size;
    },
    nowMs: () => nowMs,
    after(ms, done) {
      const timer = timersSet++;
      timers.set(timer, { atMs: nowMs + ms, done });
      return () => timers.delete(timer);
    },
    pass(ms) {
      nowMs += ms;
      for (const [timer, { atMs, done }] of timers) {
        if (atMs > nowMs) continue;
        timers.delete(timer);
        done();
      }
    },
  };
}
