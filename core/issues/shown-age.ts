const MINUTE_MS = 60_000;
const UNITS_MS = [365 * 24 * 60 * MINUTE_MS, 24 * 60 * MINUTE_MS, 60 * MINUTE_MS, MINUTE_MS];

/** An age in milliseconds, rounded down as lists show it: to years, days, hours or minutes; 0 below a minute. */
export function shownAge(ageMs: number): number {
  for (const unit of UNITS_MS) if (ageMs >= unit) return Math.floor(ageMs / unit) * unit;
  return 0;
}
