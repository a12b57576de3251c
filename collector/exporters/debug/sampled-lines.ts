/** Which lines of a second are shown. */
export interface LineSampling {
  /** Lines of each second that are shown in any case. */
  readonly initial: number;
  /** Of the rest one in so many; 0: none. */
  readonly thereafter: number;
  /** Monotonic milliseconds, default `performance.now`. */
  readonly nowMs?: () => number;
}

/** Answers for one line after the other whether it is shown, as the Collector's `debug` exporter samples. */
export function createLineSampler({
  initial,
  thereafter,
  nowMs = () => performance.now(),
}: LineSampling): () => boolean {
  let second = Number.NaN;
  let lines = 0;
  return () => {
    const now = Math.floor(nowMs() / 1000);
    if (now !== second) lines = 0;
    second = now;
    lines += 1;
    if (lines <= initial) return true;
    return thereafter > 0 && (lines - initial) % thereafter === 0;
  };
}
