/** A time in a query: fixed, or `ms` before the query runs. */
export type TimePoint = { readonly kind: 'at'; readonly ms: number } | { readonly kind: 'ago'; readonly ms: number };

const DATE_TIME =
  /^(\d{4})-(\d\d)(?:-(\d\d)(?:[T ](\d\d)(?::(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?(Z|[+-]\d\d:?\d\d)?)?)?$/i;
const DURATION = /^(?:\d{1,11}[smhdw])+$/i;
const DURATION_PARTS = /(\d+)([smhdw])/gi;
const MS_PER_SECOND = 1000;
const MS_PER_MINUTE = 60 * MS_PER_SECOND;
const MS_PER_HOUR = 60 * MS_PER_MINUTE;
const MS_PER_DAY = 24 * MS_PER_HOUR;
const MS_BY_UNIT: Readonly<Record<string, number>> = {
  s: MS_PER_SECOND,
  m: MS_PER_MINUTE,
  h: MS_PER_HOUR,
  d: MS_PER_DAY,
  w: 7 * MS_PER_DAY,
};
/** Longer than every supported form. */
const MAX_LENGTH = 64;
const MAX_DURATION_MS = 1000 * 365 * MS_PER_DAY;

/** Parses `30s`, `24h`, `7d`, `2w`, `1h30m` into milliseconds; undefined for other text and over a thousand years. */
export function parseTimeAgo(text: string): number | undefined {
  if (text.length > MAX_LENGTH || !DURATION.test(text)) return undefined;
  let ms = 0;
  for (const [, count = '', unit = ''] of text.matchAll(DURATION_PARTS)) {
    ms += Number(count) * (MS_BY_UNIT[unit.toLowerCase()] ?? 0);
  }
  return ms <= MAX_DURATION_MS ? ms : undefined;
}

/** Parses `2026-11`, `2026-11-21`, `2026-11-21T10`, … `2026-11-21T10:00:00.123+01:00`, in UTC without an offset, into the range that it covers, `toMs` exclusive; undefined for other text. */
export function parseWrittenTime(text: string) {
  if (text.length > MAX_LENGTH) return undefined;
  const match = DATE_TIME.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction, zone] = match;
  const milli = fraction === undefined ? undefined : fraction.padEnd(3, '0').slice(0, 3);
  const parts = [year, month, day, hour, minute, second, milli].map((part) =>
    part === undefined ? part : Number(part),
  );
  const [y = 0, mo = 1, d = 1, h = 0, mi = 0, s = 0, ms = 0] = parts;
  const daysOfMonth = new Date(Date.UTC(y, mo, 0)).getUTCDate();
  if (y < 1 || mo < 1 || mo > 12 || d < 1 || d > daysOfMonth || h > 23 || mi > 59 || s > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(y, mo - 1, d);
  date.setUTCHours(h, mi, s, ms);
  const offsetMs = offsetOf(zone);
  if (offsetMs === undefined) return undefined;
  const fromMs = date.getTime() - offsetMs;
  const lengths = [0, daysOfMonth * MS_PER_DAY, MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE, MS_PER_SECOND, 1];
  const exactness = parts.findLastIndex((part) => part !== undefined);
  return { fromMs, toMs: fromMs + (lengths[exactness] ?? 1) };
}

function offsetOf(zone: string | undefined): number | undefined {
  if (zone === undefined || zone.toUpperCase() === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * MS_PER_HOUR + minutes * MS_PER_MINUTE);
}

/** Milliseconds since the epoch, for a query that runs at `nowMs`. */
export function resolveTimePoint(point: TimePoint, nowMs: number): number {
  return point.kind === 'at' ? point.ms : nowMs - point.ms;
}
