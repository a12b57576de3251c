import { cutText } from '../../../core/event/text.js';
import { neutralise } from '../../text/visible.js';

/** Default bound of a text in a line or a cell, in UTF-16 units. */
const MAX_INLINE = 300;
const TAB = '    ';
const MIN_FENCE = 3;

/** Words that no renderer turns into a link, mention, reference, emoji or markup. */
const PLAIN_WORDS = /^(?:[A-Za-z0-9]|[ ,;()'"]|[.:](?= |$)|-(?=[a-z]))*$/;
/** Trackers link commit hashes. */
const LIKE_COMMIT = /[0-9a-f]{7}/i;

/** Untrusted text in a line: plain words, or code in which trackers parse nothing; cut to `maxLength` UTF-16 units, default 300. */
export function markdownInline(text: string, maxLength = MAX_INLINE): string {
  const shown = boundedLine(text, maxLength);
  if (shown === '') return '-';
  return PLAIN_WORDS.test(shown) && shown === shown.trim() && !LIKE_COMMIT.test(shown) ? shown : codeSpan(shown);
}

/** Like `markdownInline`, for a table cell. */
export function markdownCell(text: string, maxLength = MAX_INLINE): string {
  const shown = boundedLine(text, maxLength);
  if (!shown.includes('|')) return markdownInline(shown, Number.POSITIVE_INFINITY);
  // In a cell `\|` is a bar even inside code, but renderers differ on `\\|`, so the code span ends between the two.
  const pieces = shown.split(/(?<=\\)(?=\|)/).map(codeSpan);
  return pieces.join(' ').replaceAll('|', '\\|');
}

/** Untrusted lines in a fence that they cannot close, neutralised and cut to `maxLength` UTF-16 units with a note about the cut. */
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

/** Neutralises one line. Cuts before, to bound the work, and after, because visible forms are longer. */
function boundedLine(text: string, maxLength: number): string {
  const shown = neutralise(cutText(text, maxLength));
  const kept = cutText(shown, maxLength);
  return kept.length < shown.length || text.length > maxLength ? `${kept}…` : kept;
}

/** A code span with more backticks around it than its longest run inside. */
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

/** A table of untrusted cells, each cut to `maxCell` UTF-16 units, default 300, without rows that have null; headings must be trusted. */
export function markdownTable(
  headings: readonly string[],
  rows: readonly (readonly (string | null)[])[],
  maxCell?: number,
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  const body = rows
    .filter((cells): cells is readonly string[] => !cells.includes(null))
    .map((cells) => line(cells.map((cell) => markdownCell(cell, maxCell))));
  return line(headings) + line(headings.map(() => '---')) + body.join('');
}
