import { createDrainClock, type DrainClock } from './drain-clock.js';
import type { HttpDoor } from './http-door.js';

/** How long requests may go on behind a door that leaves while its endpoint stays or the collector goes on; then they are drained as at a stop. */
const LEAVING_PATIENCE_MS = 30_000;
const LEAVING_DRAIN_MS = 2_500;

/** What closing doors that leave is measured by: a clock that begins once their requests have ended, or the collector's own as soon as somebody stops it. */
export async function leavingClock(doors: readonly HttpDoor[], drain: DrainClock): Promise<DrainClock> {
  await Promise.all(doors.map((door) => door.ended(LEAVING_PATIENCE_MS, drain.onBegin)));
  return drain.isBegun ? drain : createDrainClock(LEAVING_DRAIN_MS);
}
