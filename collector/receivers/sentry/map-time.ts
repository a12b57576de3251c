import type { JsonValue } from '../../../core/event/json.js';

const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?\s?(Z|z|[+-]\d{2}:?\d{2}|)$/;
const SECONDS = /^\d{1,12}(?:\.\d{1,9})?$/;
/** A difference below it is the way of the request, above it a clock that is wrong. */
const MAX_WAY_MS = 60_000;
const NANOS_PER_MS = 1_000_000n;
/** Years 0001 to 9999. */
const FIRST_MS = -62_135_596_800_000;
const LAST_MS = 253_402_300_799_999;

/** When an event happened. */
export interface EventTime {
  /** RFC 3339; null when nothing dates the event but its receipt. */
  readonly timestamp: string | null;
  /** How far the clock of the sender was behind, in milliseconds; negative when it was ahead; null when it was not corrected. */
  readonly clockDriftMs: number | null;
}

/** Dates an event by its own timestamp, else by when it was sent; corrects a clock of the sender that is off by more than a minute. */
export function eventTime(own: JsonValue | undefined, sentAt: JsonValue | undefined, receivedMs: number): EventTime {
  const sent = readTime(sentAt);
  const drift = sent === undefined ? 0 : receivedMs - msOf(sent);
  const isCorrected = Math.abs(drift) > MAX_WAY_MS;
  const event = readTime(own);
  if (event === undefined) {
    return {
      timestamp: sent === undefined || isCorrected ? null : rfc3339(sent),
      clockDriftMs: isCorrected ? drift : null,
    };
  }
  const corrected = isCorrected ? event + BigInt(Math.round(drift)) * NANOS_PER_MS : event;
  const isDate = isInCalendar(msOf(corrected));
  return {
    timestamp: rfc3339(isDate ? corrected : event),
    clockDriftMs: isCorrected && isDate ? drift : null,
  };
}

/** Nanoseconds since 1970 of a float in seconds or an RFC 3339 text; a text without a zone is UTC, as old SDKs mean it. */
function readTime(value: JsonValue | undefined): bigint | undefined {
  if (typeof value === 'number') {
    return isInCalendar(value * 1_000) ? BigInt(Math.round(value * 1e6)) * 1_000n : undefined;
  }
  if (typeof value !== 'string') return undefined;
  if (SECONDS.test(value)) return readTime(Number(value));
  const parts = DATE_TIME.exec(value);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', zone = ''] = parts;
  const offset = zone === '' || zone === 'z' ? 'Z' : zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2');
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
  return isInCalendar(ms) ? BigInt(ms) * NANOS_PER_MS + BigInt(fraction.padEnd(9, '0')) : undefined;
}

function isInCalendar(ms: number): boolean {
  return ms >= FIRST_MS && ms <= LAST_MS;
}

function msOf(nanos: bigint): number {
  return Number(nanos / NANOS_PER_MS);
}

/** UTC with as many digits as the time has, three at least. */
function rfc3339(nanos: bigint): string {
  const rest = ((nanos % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const seconds = new Date(Number((nanos - rest) / NANOS_PER_MS)).toISOString().slice(0, 19);
  const digits = rest
    .toString()
    .padStart(9, '0')
    .replace(/0{1,6}$/, '');
  return `${seconds}.${digits}Z`;
}
