const SECONDS = /^\d{1,10}$/;
/** All three forms of a date begin with the day of the week. */
const DATE = /^[A-Z][a-z]{2,8},? /;
/** A server that asks for more is asked again after a day. */
const MAX_WAIT_MS = 24 * 3_600_000;

/** Milliseconds that a `Retry-After` header asks for, given as seconds or as an HTTP date (RFC 9110, 10.2.3); undefined where there is none that can be read. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined || header.length > 64) return undefined;
  const text = header.trim();
  const dateMs = DATE.test(text) ? Date.parse(text) : Number.NaN;
  const waitMs = SECONDS.test(text) ? Number(text) * 1000 : dateMs - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(0, waitMs), MAX_WAIT_MS);
}
