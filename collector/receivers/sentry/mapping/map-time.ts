import type { JsonValue } from '../../../../core/event/json.js';

const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?\s?(Z|z|[+-]\d{2}:?\d{2}|)$/;
const SECONDS = /^\d{1,12}(?:\.\d{1,9})?$/;
/** A smaller difference is latency, a larger one a wrong clock. */
const MAX_WAY_MS = 60_000;
const NANOS_PER_MS = 1_000_000;
const NANOS_PER_SECOND = 1_000_000_000;
/** Years 0001 to 9999. */
const FIRST_MS = -62_135_596_800_000;
const LAST_MS = 253_402_300_799_999;

/** When an event happened. */
export interface EventTime {
  /** RFC 3339; null if only the receipt time is known. */
  readonly timestamp: string | null;
  /** How far the sender's clock was behind, milliseconds; negative if ahead; null if the time was not corrected. */
  readonly clockDriftMs: number | null;
}

/** A time since the epoch: whole seconds, possibly negative, and 0 to 999,999,999 nanoseconds. */
interface Instant {
  readonly seconds: number;
  readonly nanos: number;
}

/** Returns the time of an event: its timestamp, else `sentAt`; corrects a sender's clock that is off by more than a minute. */
export function eventTime(own: JsonValue | undefined, sentAt: JsonValue | undefined, receivedMs: number): EventTime {
  const sent = parseTime(sentAt);
  const drift = sent === undefined ? 0 : receivedMs - msOf(sent);
  const isCorrected = Math.abs(drift) > MAX_WAY_MS;
  const event = parseTime(own);
  if (event === undefined) {
    return {
      timestamp: sent === undefined || isCorrected ? null : rfc3339(sent),
      clockDriftMs: isCorrected ? drift : null,
    };
  }
  const corrected = isCorrected ? later(event, Math.round(drift)) : event;
  const isDate = isInCalendar(msOf(corrected));
  return {
    timestamp: rfc3339(isDate ? corrected : event),
    clockDriftMs: isCorrected && isDate ? drift : null,
  };
}

/** Parses seconds or RFC 3339; a text without a zone is UTC, as in old SDKs. */
function parseTime(value: JsonValue | undefined): Instant | undefined {
  if (typeof value === 'number') {
    return isInCalendar(value * 1_000) ? instantOf(Math.round(value * 1e6), 1e6) : undefined;
  }
  if (typeof value !== 'string') return undefined;
  if (SECONDS.test(value)) return parseTime(Number(value));
  const parts = DATE_TIME.exec(value);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', zone = ''] = parts;
  const offset = zone === '' || zone === 'z' ? 'Z' : zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2');
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
  if (!isInCalendar(ms)) return undefined;
  return { seconds: Math.floor(ms / 1_000), nanos: Number(fraction.padEnd(9, '0')) };
}

/** Converts a count of fractions of a second; remainders are exact even for unsafe integers. */
function instantOf(count: number, partsPerSecond: number): Instant {
  const rest = ((count % partsPerSecond) + partsPerSecond) % partsPerSecond;
  return { seconds: (count - rest) / partsPerSecond, nanos: rest * (NANOS_PER_SECOND / partsPerSecond) };
}

function later({ seconds, nanos }: Instant, ms: number): Instant {
  const moved = instantOf(ms, 1_000);
  const sum = instantOf(nanos + moved.nanos, NANOS_PER_SECOND);
  return { seconds: seconds + moved.seconds + sum.seconds, nanos: sum.nanos };
}

function isInCalendar(ms: number): boolean {
  return ms >= FIRST_MS && ms <= LAST_MS;
}

/** Whole milliseconds, rounded towards the epoch. */
function msOf({ seconds, nanos }: Instant): number {
  const ms = seconds * 1_000 + Math.floor(nanos / NANOS_PER_MS);
  return seconds < 0 && nanos % NANOS_PER_MS > 0 ? ms + 1 : ms;
}

/** UTC with all significant digits, at least three. */
function rfc3339({ seconds, nanos }: Instant): string {
  const toMs = new Date(seconds * 1_000 + Math.floor(nanos / NANOS_PER_MS)).toISOString();
  const belowMs = nanos % NANOS_PER_MS;
  if (belowMs === 0) return toMs;
  return `${toMs.slice(0, -1)}${String(belowMs)
    .padStart(6, '0')
    .replace(/0{1,5}$/, '')}Z`;
}
