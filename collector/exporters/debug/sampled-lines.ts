/**
 * Answers for one line after the other whether it is shown, as the Collector's `debug` exporter samples: the first `initial` of each second, and of the rest one
 * in `thereafter` (0: none). `nowMs` is monotonic.
 */
export function createLineSampler(
  initial: number,
  thereafter: number,
  nowMs: () => number = () => performance.now(),
): () => boolean {
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
