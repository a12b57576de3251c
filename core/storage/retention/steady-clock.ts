/** A step of the wall clock beside the monotonic one that is no correction any more. */
const JUMP_MS = 10 * 60_000;
/** How long a clock that jumped has to go on as it is before it is believed again. */
const PATIENCE_MS = 3_600_000;

/** Tells whether the wall clock goes on as it did. As it is when this is made, it is believed. */
export interface SteadyClock {
  /** False for an hour after the clock jumped by more than ten minutes in either direction; asked now and then. */
  isSteady(): boolean;
}

/** Compares the wall clock with the monotonic one, both in milliseconds. A machine that slept has jumped as well. */
export function createSteadyClock(
  nowMs: () => number,
  monotonicMs: () => number = () => performance.now(),
): SteadyClock {
  let offsetMs = nowMs() - monotonicMs();
  let jumpedAtMs = Number.NEGATIVE_INFINITY;
  return {
    isSteady() {
      const elapsedMs = monotonicMs();
      const driftMs = nowMs() - elapsedMs - offsetMs;
      offsetMs += driftMs;
      if (Math.abs(driftMs) > JUMP_MS) jumpedAtMs = elapsedMs;
      return elapsedMs - jumpedAtMs >= PATIENCE_MS;
    },
  };
}
