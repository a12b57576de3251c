import { printable } from '../../config/values/printable.js';
import type { JsonValue } from '../event/json.js';

/** Why a piece of a line stands out; the printer decides how. */
export type Tone = 'plain' | 'strong' | 'muted' | 'label' | 'good';

/** A line for people, without newline: every control character in it is written as an escape. */
export type ExplainedLine = readonly { readonly text: string; readonly tone: Tone }[];

/** Columns of a line. */
const LINE_COLUMNS = 80;
/** A value that goes on for longer is cut: what decides stands in its hash anyway. */
const MAX_VALUE = 1_000;
const BLANK: ExplainedLine = [];

/** An empty line. */
export function blankLine(): ExplainedLine {
  return BLANK;
}

/** What stands out above others, wrapped as other text is. */
export function headingLines(text: string): ExplainedLine[] {
  return labelledLines('', text, { at: 0, tone: 'strong' });
}

/** A label and a text beside it, wrapped at words to `LINE_COLUMNS`; the text keeps its column. */
export function labelledLines(
  label: string,
  text: string,
  { at, labelTone = 'label', tone = 'plain' }: { at: number; labelTone?: Tone; tone?: Tone },
): ExplainedLine[] {
  const first = { text: label.padEnd(at), tone: labelTone };
  const further = { text: ' '.repeat(at), tone: 'plain' as const };
  return wrapped(printable(text), LINE_COLUMNS - at).map((row, place) => [
    place === 0 ? first : further,
    { text: row, tone },
  ]);
}

/** A value of a basis for people: texts as they are, lists one after the other. */
export function shownValue(value: JsonValue): string {
  const text = Array.isArray(value) ? value.map(plainValue).join(' · ') : plainValue(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

function plainValue(value: JsonValue): string {
  if (value === null) return '-';
  if (typeof value !== 'string') return JSON.stringify(value);
  return value === '' ? '""' : value;
}

/** Rows of at most so many characters, broken at blanks where there is one in the second half of a row. */
function wrapped(text: string, columns: number): string[] {
  const rows: string[] = [];
  let rest = text;
  while (rest.length > columns) {
    const blank = rest.lastIndexOf(' ', columns);
    const end = blank > columns / 2 ? blank : wholeCharacters(rest, columns);
    rows.push(rest.slice(0, end));
    rest = rest.slice(end === blank ? end + 1 : end);
  }
  return [...rows, rest];
}

/** Not between the two halves of a character. */
function wholeCharacters(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last < 0xdc00 ? end - 1 : end;
}
