import { printable } from '../../config/values/printable.js';
import type { JsonValue } from '../event/json.js';
import { beforeSurrogatePair, cutText } from '../event/text.js';

/** Emphasis of a piece of a line; the printer chooses the colour. */
export type Tone = 'plain' | 'strong' | 'muted' | 'label' | 'good';

/** A line without newline; control characters are escaped. */
export type ExplainedLine = readonly { readonly text: string; readonly tone: Tone }[];

const LINE_COLUMNS = 80;
/** Longer values are cut. */
const MAX_VALUE = 1_000;
/** An empty line. */
export const BLANK: ExplainedLine = [];

/** A heading, wrapped like other text. */
export function headingLines(text: string): ExplainedLine[] {
  return labelledLines('', text, { at: 0, tone: 'strong' });
}

/** A label and a text that starts at column `at`, wrapped at words to `LINE_COLUMNS`. */
export function labelledLines(
  label: string,
  text: string,
  { at, labelTone = 'label', tone = 'plain' }: { at: number; labelTone?: Tone; tone?: Tone },
): ExplainedLine[] {
  const first = { text: label.padEnd(at), tone: labelTone };
  const further = { text: ' '.repeat(at), tone: 'plain' as const };
  return wrapped(printable(text), LINE_COLUMNS - at).map((row, index) => [
    index === 0 ? first : further,
    { text: row, tone },
  ]);
}

/** Formats a value of a basis: strings without quotes, lists with separators. */
export function shownValue(value: JsonValue): string {
  const text = Array.isArray(value) ? value.map(plainValue).join(' · ') : plainValue(value);
  return text.length > MAX_VALUE ? `${cutText(text, MAX_VALUE)}…` : text;
}

function plainValue(value: JsonValue): string {
  if (value === null) return '-';
  if (typeof value !== 'string') return JSON.stringify(value);
  return value === '' ? '""' : value;
}

/** `FingerprintBasis.rule` → sentence. */
const CASES: Readonly<Record<string, string>> = {
  rule: 'a grouping rule sets the fingerprint',
  client: 'the sender set the fingerprint',
  stack: 'error type and stack decide',
  stack_and_message: 'error type, stack and message decide',
  message: 'by error type and message; the stack has no usable frame',
  unknown: 'all events were removed',
};

/** Describes the case of a basis; an unknown one is returned unchanged. */
export function caseSentence(rule: string): string {
  return Object.hasOwn(CASES, rule) ? `${rule}: ${CASES[rule]}` : rule;
}

/** Wraps a text to `columns`, at a space if there is one in the second half of a row. */
function wrapped(text: string, columns: number): string[] {
  const rows: string[] = [];
  let rest = text;
  while (rest.length > columns) {
    const blank = rest.lastIndexOf(' ', columns);
    const end = blank > columns / 2 ? blank : beforeSurrogatePair(rest, columns);
    rows.push(rest.slice(0, end));
    rest = rest.slice(end === blank ? end + 1 : end);
  }
  return [...rows, rest];
}
