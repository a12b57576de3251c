/** Microseconds in an hour. */
export const MICROS_PER_HOUR = 3_600_000_000;

/** Hours since the epoch in which an instant lies. */
export function hourOfMicros(micros: number): number {
  return Math.floor(micros / MICROS_PER_HOUR);
}

/** An instant as `YYYY-MM-DDTHH:MM:SS.ffffffZ` (RFC 3339). */
export function formatMicros(micros: number): string {
  const ms = Math.floor(micros / 1000);
  const rest = micros - ms * 1000;
  return `${new Date(ms).toISOString().slice(0, -1)}${String(rest).padStart(3, '0')}Z`;
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** Reads what `formatMicros` wrote; undefined for anything else. */
export function parseMicros(text: string): number | undefined {
  if (!INSTANT.test(text)) return undefined;
  const micros = Date.parse(`${text.slice(0, 23)}Z`) * 1000 + Number(text.slice(23, 26));
  // Date.parse takes February 31 for March 3; only the form that we write is one of ours.
  return Number.isSafeInteger(micros) && formatMicros(micros) === text ? micros : undefined;
}
