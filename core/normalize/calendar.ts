const DAYS_OF_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** True for a date of the proleptic Gregorian calendar; false for anything else, NaN included. */
export function isDate(year: number, month: number, day: number): boolean {
  const days = month === 2 && isLeapYear(year) ? 29 : (DAYS_OF_MONTH[month - 1] ?? 0);
  return year >= 0 && day >= 1 && day <= days;
}

/**
 * Days from 1970-01-01 to a date of the proleptic Gregorian calendar. `Date.UTC` is not used because it takes the years 0 to 99 for 1900 to 1999.
 * The year is counted from March, so that the leap day comes last: then months have lengths that 153 days in 5 months describe.
 */
export function daysSinceEpoch(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leapDays + dayOfYear - 719_468;
}
