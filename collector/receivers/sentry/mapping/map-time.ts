import type { JsonObject, JsonValue } from '../../../../core/event/json.js';
import type { Instant } from '../../../../core/normalize/timestamp.js';

const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?\s?(Z|z|[+-]\d{2}:?\d{2}|)$/;
const SECONDS = /^\d{1,12}(?:\.\d{1,9})?$/;
/** A smaller difference is latency, a larger one a wrong clock. */
const MAX_WAY_MS = 60_000;
const NANOS_PER_MS = 1_000_000;
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

/** Returns the time of an event: its timestamp, else `sentAt`; corrects a sender's clock that is off by more than a minute. */
export function eventTime(own: JsonValue | undefined, sentAt: JsonValue | undefined, receivedMs: number): EventTime {
  const sent = parseTime(sentAt);
  const drift = sent === undefined ? 0 : Math.round(receivedMs - sent.ms);
  const isCorrected = Math.abs(drift) > MAX_WAY_MS;
  const event = parseTime(own);
  if (event === undefined) {
    const timestamp = sent === undefined || isCorrected ? null : rfc3339(sent);
    return { timestamp, clockDriftMs: isCorrected ? drift : null };
  }
  const corrected = isCorrected ? { ...event, ms: event.ms + drift } : event;
  const isDate = isInCalendar(corrected.ms);
  return {
    timestamp: rfc3339(isDate ? corrected : event),
    clockDriftMs: isCorrected && isDate ? drift : null,
  };
}

/** Parses seconds or RFC 3339; a text without a zone is UTC, as in old SDKs. */
function parseTime(value: JsonValue | undefined): Instant | undefined {
  if (typeof value === 'number') return isInCalendar(value * 1_000) ? instantOf(Math.round(value * 1e6)) : undefined;
  if (typeof value !== 'string') return undefined;
  if (SECONDS.test(value)) return parseTime(Number(value));
  const parts = DATE_TIME.exec(value);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', zone = ''] = parts;
  const offset = zone === '' || zone === 'z' ? 'Z' : zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2');
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
  const nanos = Number(fraction.padEnd(9, '0'));
  const whole = { ms: ms + Math.floor(nanos / NANOS_PER_MS), nanos: nanos % NANOS_PER_MS };
  return isInCalendar(ms) ? whole : undefined;
}

/** Converts microseconds since the epoch; the remainder is exact even for unsafe integers. */
function instantOf(micros: number): Instant {
  const rest = ((micros % 1_000) + 1_000) % 1_000;
  return { ms: (micros - rest) / 1_000, nanos: rest * 1_000 };
}

function isInCalendar(ms: number): boolean {
  return ms >= FIRST_MS && ms <= LAST_MS;
}

/** UTC with all significant digits, at least three. */
function rfc3339({ ms, nanos }: Instant): string {
  const padded = String(nanos).padStart(6, '0');
  const digits = nanos === 0 ? '' : padded.replace(/0{1,5}$/, '');
  return `${new Date(ms).toISOString().slice(0, -1)}${digits}Z`;
}

/** Returns when an item was sent, in milliseconds since the epoch by the sender's clock; NaN without a time. */
export function sentTimeMs(item: JsonObject): number {
  return parseTime(item['timestamp'])?.ms ?? Number.NaN;
}
