/** A monotonic clock and timers of one run; tests pass their own. */
export interface Timers {
  /** Milliseconds since an unspecified moment. */
  nowMs(): number;
  /** Calls `work` once after a delay, unless the returned function is called first. Does not keep the process alive. */
  after(delayMs: number, work: () => void): () => void;
}

/** The timers of this process. */
export const systemTimers: Timers = {
  nowMs: () => performance.now(),
  after(delayMs, work) {
    const timer = setTimeout(work, delayMs).unref();
    return () => clearTimeout(timer);
  },
};
