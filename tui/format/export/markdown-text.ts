import { cutText } from '../../../core/event/text.js';
import { neutralise } from '../../text/visible.js';

/** UTF-16 units of a text from outside that stands in a line or a cell. */
const MAX_INLINE = 300;
const TAB = '    ';
const MIN_FENCE = 3;

/** Plain words, which no renderer takes for a link, a mention, a reference, an emoji or markup. */
const PLAIN_WORDS = /^(?:[A-Za-z0-9]|[ ,;()'"]|[.:](?= |$)|-(?=[a-z]))*$/;
/** Trackers make links of what looks like a commit. */
const LIKE_COMMIT = /[0-9a-f]{7}/i;

/**
 * Text from outside as part of a line: plain words as they are, everything else as code, where trackers look for no markup, mention (`@name`) or reference (`fixes #1`).
 * On one line, hidden characters visible, cut to `maxLength` UTF-16 units, default 300.
 */
export function markdownInline(text: string, maxLength = MAX_INLINE): string {
  const shown = boundedLine(text, maxLength);
  if (shown === '') return '-';
  return PLAIN_WORDS.test(shown) && shown === shown.trim() && !LIKE_COMMIT.test(shown) ? shown : codeSpan(shown);
}

/** As `markdownInline`, for a cell of a table. */
export function markdownCell(text: string, maxLength = MAX_INLINE): string {
  const shown = boundedLine(text, maxLength);
  if (!shown.includes('|')) return markdownInline(shown, Number.POSITIVE_INFINITY);
  // In a cell `\|` is a bar also inside code, but renderers differ about `\\|`: code ends between the two.
  const pieces = shown.split(/(?<=\\)(?=\|)/).map(codeSpan);
  return pieces.join(' ').replaceAll('|', '\\|');
}

/** Lines from outside in a fence that nothing in them can close, hidden characters visible; at most `maxLength` UTF-16 units, and how many were left out is said below. */
export function markdownFence(text: string, maxLength: number): string {
  const start = cutText(text, maxLength);
  const lines = start
    .replaceAll('\t', TAB)
    .split(/\r\n|\n/)
    .map(neutralise)
    .join('\n');
  const shown = cutText(lines, maxLength);
  const fence = '`'.repeat(Math.max(MIN_FENCE, longestRun(shown) + 1));
  const body = `${fence}text\n${shown}\n${fence}`;
  if (shown.length === lines.length && start.length === text.length) return body;
  return `${body}\n\nCut: it has ${text.length} characters.`;
}

/** One line in visible form. Cut before, so that a text of any length costs the same, and after, because visible forms are longer. */
function boundedLine(text: string, maxLength: number): string {
  const shown = neutralise(cutText(text, maxLength));
  const kept = cutText(shown, maxLength);
  return kept.length < shown.length || text.length > maxLength ? `${kept}…` : kept;
}

/** Code with more backticks around it than stand together in it. */
function codeSpan(text: string): string {
  const ticks = '`'.repeat(longestRun(text) + 1);
  const isAtEdge = /^[` ]|[` ]$/.test(text);
  const pad = isAtEdge && text.trim() !== '' ? ' ' : '';
  return `${ticks}${pad}${text}${pad}${ticks}`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

/** A table whose cells may be text from outside, each cut to `maxCell` UTF-16 units, default 300; headings are words of our own. Ended by a newline. */
export function markdownTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  maxCell?: number,
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  const body = rows.map((cells) => line(cells.map((cell) => markdownCell(cell, maxCell))));
  return line(headings) + line(headings.map(() => '---')) + body.join('');
}
