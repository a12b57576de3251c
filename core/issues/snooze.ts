import { Fault } from '../event/fault.js';
import { cutText } from '../event/text.js';
import { parseDateTime } from '../normalize/timestamp.js';
import { type IssueAction, numberIn, textIn } from './issue-action.js';

/** What ends the `ignored` status, as data of the action: nothing, an instant, a number of further events, or a number of events within a span. */
export interface Snooze {
  /** RFC 3339. */
  readonly until?: string;
  readonly count?: number;
  readonly per_ms?: number;
}

const SPANS: ReadonlyMap<string, number> = new Map([
  ['w', 7 * 86_400_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
]);

/** A rate is checked by scanning the receipts of as many events. */
const MAX_RATE = 10_000;
const MAX_COUNT = 1_000_000_000;
/** Ten years. */
const MAX_SPAN_MS = 3653 * 86_400_000;
const MAX_LENGTH = 64;

const SPAN = /^(\d{1,9})([mhdw])$/;
const COUNT = /^(\d{1,10})x(?:\/(?:(\d{1,9})([mhdw])|([mhdw])))?$/;
const DATE = /^\d{4}-\d\d-\d\d$/;

const FORMS =
  '`7d`, `12h`, `30m`, `2w`, `100x`, `100x/1h`, `until:2026-12-24`, `until:2026-12-24T10:00:00Z` or `forever`';

/** Parses the snooze grammar: `7d`, `100x`, `100x/1h`, `until:2026-12-24` (midnight UTC), `forever` or blank. Throws `SNOOZE_INVALID`. */
export function parseSnooze(text: string, nowMs: number): Snooze {
  const trimmed = text.length > MAX_LENGTH ? text : text.trim();
  if (trimmed === '' || trimmed === 'forever') return {};
  if (trimmed.startsWith('until:')) return parseUntil(trimmed.slice('until:'.length), nowMs);
  const span = SPAN.exec(trimmed);
  if (span !== null) return untilOf(nowMs + spanMs(span[1], span[2]));
  const count = COUNT.exec(trimmed);
  if (count === null) {
    const shown = JSON.stringify(cutText(trimmed, MAX_LENGTH));
    throw invalid(`${shown} is not a snooze; expected ${FORMS}.`);
  }
  return parseCount(count);
}

/** The snooze of an `ignore` action in the grammar; null if nothing ends it. */
export function printSnooze(action: IssueAction): string | null {
  const { until, count, per_ms: perMs } = snoozeOf(action);
  if (until !== undefined) return `until:${until}`;
  if (count === undefined) return null;
  return perMs === undefined ? `${count}x` : `${count}x/${printSpan(perMs)}`;
}

/** The snooze of an `ignore` action; invalid fields count as missing. */
export function snoozeOf(action: IssueAction): Snooze {
  const until = textIn(action, 'until');
  if (until !== undefined && Number.isFinite(Date.parse(until))) return { until };
  const count = numberIn(action, 'count');
  if (count === undefined || !(count >= 1)) return {};
  const perMs = numberIn(action, 'per_ms');
  if (perMs === undefined) return { count };
  return perMs > 0 && count <= MAX_RATE ? { count, per_ms: perMs } : {};
}

/** A span in weeks, days, hours or minutes, in the largest unit that gives a whole number. */
export function printSpan(ms: number): string {
  for (const [unit, unitMs] of SPANS) if (ms % unitMs === 0) return `${ms / unitMs}${unit}`;
  return `${Math.ceil(ms / 60_000)}m`;
}

function parseUntil(text: string, nowMs: number): Snooze {
  const ms = parseDateTime(DATE.test(text) ? `${text}T00:00:00Z` : text)?.ms;
  if (ms === undefined) {
    const shown = JSON.stringify(cutText(text, MAX_LENGTH));
    throw invalid(`until:${shown} is not a date; expected \`until:2026-12-24\` or \`until:2026-12-24T10:00:00Z\`.`);
  }
  if (ms <= nowMs) throw invalid(`until:${text} is in the past; expected a later time.`);
  return untilOf(ms, nowMs);
}

function untilOf(ms: number, nowMs = ms): Snooze {
  if (ms - nowMs > MAX_SPAN_MS)
    throw invalid('A snooze must end within ten years; expected an earlier end, or `forever`.');
  return { until: new Date(ms).toISOString().replace('.000Z', 'Z') };
}

function parseCount([, counted, number = '1', unit, bareUnit]: RegExpExecArray): Snooze {
  const count = Number(counted);
  const isRate = unit !== undefined || bareUnit !== undefined;
  const max = isRate ? MAX_RATE : MAX_COUNT;
  if (count < 1 || count > max)
    throw invalid(`${count}x is out of range; expected 1x to ${max}x${isRate ? ' within a span' : ''}.`);
  return isRate ? { count, per_ms: spanMs(number, unit ?? bareUnit) } : { count };
}

function spanMs(number = '', unit = ''): number {
  const ms = Number(number) * (SPANS.get(unit) ?? 0);
  if (ms <= 0 || ms > MAX_SPAN_MS) throw invalid(`${number}${unit} is out of range; expected 1m to ten years.`);
  return ms;
}

function invalid(sentence: string): Fault {
  return new Fault('SNOOZE_INVALID', sentence);
}
