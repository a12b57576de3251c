import { type Line, lineCells, type Span, span, words } from '../../text/line.js';
import { cellsOf, cutToCells, endInCells, literal, splitAtCells, type Visible } from '../../text/visible.js';

/** A title in one line; what differs between the events of the issue is muted. */
export interface Title {
  readonly whole: Line;
  /** Without the package of the error name. */
  readonly short: Line;
}

const ELLIPSIS = words('…');
const BLANK = words(' ');
/** Cells of a muted part that is not shortened, and of what at least stays of a shortened one. */
const LONG_PART = 16;
const MIN_PART = 8;
/** Shares of the width that stay at the start and at the end when words are taken out. */
const START_SHARE = 0.4;
const END_SHARE = 0.28;
/** What a muted character counts when words are taken out; a constant one counts 1. */
const MUTED_WEIGHT = 0.35;
/** A word that is longer than the line is broken behind one of these. */
const BREAK = /[/?&.,:_-]/;

/** Fits a title to a width: a whole one is not changed, else the first step that is enough decides. */
export function fitTitle({ whole, short }: Title, cells: number): Line {
  for (const line of [whole, short]) if (lineCells(line) <= cells) return line;
  const shortened = shortenParts(short, cells);
  if (lineCells(shortened) <= cells) return shortened;
  const hidden = hideParts(shortened, short, cells);
  if (lineCells(hidden) <= cells) return hidden;
  return withoutMiddle(wordsOf(shortened), cells) ?? breakWord(textOf(shortened), cells);
}

/** Long muted parts keep their end, longest first, until the line fits. */
function shortenParts(line: Line, cells: number): Line {
  const parts = [...line];
  let over = lineCells(line) - cells;
  for (const { index, size } of mutedParts(line)) {
    const part = parts[index];
    if (over <= 0 || size <= LONG_PART || part === undefined) break;
    const text = endOfPart(part.text, size - over);
    parts[index] = { ...part, text };
    over -= size - cellsOf(text);
  }
  return parts;
}

function mutedParts(line: Line): { index: number; size: number }[] {
  return line
    .flatMap(({ text, meaning }, index) => (meaning === 'muted' ? [{ index, size: cellsOf(text) }] : []))
    .sort((one, other) => other.size - one.size);
}

/** The end of a text in `room` cells, from a `/` on if there is one; it keeps at least what says something. */
function endOfPart(text: Visible, room: number): Visible {
  for (const limit of [room, LONG_PART]) {
    const end = endInCells(text, limit - 1);
    const cut = literal(`…${end.slice(end.indexOf('/'))}`);
    if (end.includes('/') && cellsOf(cut) >= MIN_PART) return cut;
  }
  return literal(`…${endInCells(text, Math.max(MIN_PART, room) - 1)}`);
}

/** Muted parts become an ellipsis, those that were longest in `original` first; what holds the last word stays. */
function hideParts(line: Line, original: Line, cells: number): Line {
  const parts = [...line];
  const lastBlank = line.findLastIndex(({ text }) => text.includes(' '));
  const isHeld = (index: number): boolean =>
    index > lastBlank || (index === lastBlank && !line[index]?.text.endsWith(' '));
  let over = lineCells(line) - cells;
  for (const { index } of mutedParts(original)) {
    const part = parts[index];
    if (over <= 0) break;
    if (part === undefined || isHeld(index)) continue;
    over -= cellsOf(part.text) - 1;
    parts[index] = { ...ELLIPSIS, meaning: 'muted' };
  }
  return parts;
}

/** Whole words are taken out of the middle; undefined if too little would stay at the start or at the end. */
function withoutMiddle(all: readonly Line[], cells: number): Line | undefined {
  const sizes = runningTotals(all.map((word) => lineCells(word) + 1));
  const weights = runningTotals(all.map((word) => weightOf(word) + 1));
  const total = (totals: readonly number[], from: number, to: number): number =>
    (totals[to] ?? 0) - (totals[from] ?? 0);
  const room = cells - lineCells([BLANK, ELLIPSIS, BLANK]);
  let best: { start: number; end: number; weight: number } | undefined;
  let end = 0;
  for (let start = 1; start < all.length; start += 1) {
    const startSize = total(sizes, 0, start) - 1;
    // The end begins behind the start, with as many words as fit.
    end = Math.max(end, start + 1);
    while (end < all.length && startSize + total(sizes, end, all.length) - 1 > room) end += 1;
    const endSize = total(sizes, end, all.length) - 1;
    if (endSize < Math.floor(cells * END_SHARE) || endSize <= 0) break;
    const weight = total(weights, 0, start) + total(weights, end, all.length);
    const isEnough = startSize >= Math.floor(cells * START_SHARE);
    if (isEnough && (best === undefined || weight > best.weight)) best = { start, end, weight };
  }
  return best && joinWords([...all.slice(0, best.start), [ELLIPSIS], ...all.slice(best.end)]);
}

/** The sums of the first 0, 1, 2 … numbers. */
function runningTotals(numbers: readonly number[]): number[] {
  const totals = [0];
  for (const number of numbers) totals.push((totals.at(-1) ?? 0) + number);
  return totals;
}

function weightOf(word: Line): number {
  return word.reduce((weight, { text, meaning }) => weight + text.length * (meaning === 'muted' ? MUTED_WEIGHT : 1), 0);
}

/** Breaks a long word before the longest whole words at the end that leave the start its share. */
function breakWord(text: Visible, cells: number): Line {
  const least = Math.floor(cells * START_SHARE);
  const most = endInCells(text, cells - least - 2);
  for (let at = most.indexOf(' '); at >= 0; at = most.indexOf(' ', at + 1)) {
    const end = literal(most.slice(at + 1));
    const start = startAtBreak(text, cells - cellsOf(end) - 2);
    if (cellsOf(end) < Math.floor(cells * END_SHARE)) break;
    if (cellsOf(start) >= least) return [span(literal(`${start}… ${end}`))];
  }
  const end = endInCells(text, Math.floor(cells * END_SHARE));
  return [span(cutToCells(text, cells - cellsOf(end))), span(end)];
}

/** The start of a text in at most `cells` cells, up to the last sign behind which a word may be broken. */
function startAtBreak(text: Visible, cells: number): Visible {
  const [start] = splitAtCells(text, cells);
  let end = start.length;
  while (end > 0 && !BREAK.test(start.charAt(end - 1))) end -= 1;
  return literal(start.slice(0, end));
}

/** The words of a line; one may have constant and muted parts. */
export function wordsOf(line: Line): readonly Line[] {
  const all: Span[][] = [[]];
  for (const { text, meaning } of line) {
    for (const [index, piece] of text.split(' ').entries()) {
      if (index > 0) all.push([]);
      if (piece !== '') all.at(-1)?.push(span(literal(piece), meaning));
    }
  }
  return all.filter((word) => word.length > 0);
}

/** Words with a blank between them. */
export function joinWords(all: readonly Line[]): Line {
  return all.flatMap((word, index) => (index === 0 ? word : [BLANK, ...word]));
}

/** The text of a line without its meanings. */
export function textOf(line: Line): Visible {
  return literal(line.map(({ text }) => text).join(''));
}
