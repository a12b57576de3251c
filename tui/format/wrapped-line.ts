import { type Line, type Span, span, words } from './line.js';
import { cellsOf, ownWords, splitAtCells, type Visible } from './visible.js';

/** A line in as many rows as it needs, broken at blanks where there is one in the second half of a row; rows behind the first begin with `indent` blanks. */
export function wrapLine(line: Line, cells: number, indent = 0): Line[] {
  const margin = Math.max(0, Math.min(indent, cells - 8));
  const rows: Line[] = [];
  let row: Span[] = [];
  let room = cells;
  for (const { text, meaning } of line) {
    let rest = text;
    while (cellsOf(rest) > room) {
      const [head, tail] = breakAt(rest, room, row.length === 0 ? 0 : cells - margin);
      if (head !== '') row.push(span(head, meaning));
      rows.push(row);
      row = margin === 0 ? [] : [words(' '.repeat(margin))];
      room = Math.max(1, cells - margin);
      rest = tail;
    }
    if (rest !== '') row.push(span(rest, meaning));
    room -= cellsOf(rest);
  }
  return [...rows, row];
}

/**
 * What fits, and the rest without the blank between them. `nextCells` are those of a whole row where something stands in this one already, else 0: a word that fits there goes there as a
 * whole. Where nothing else stands in the row, something always fits.
 */
function breakAt(text: Visible, room: number, nextCells: number): readonly [Visible, Visible] {
  const mayBeEmpty = nextCells > 0;
  const [head, tail] = splitAtCells(text, Math.max(room, mayBeEmpty ? 0 : 1));
  if (head === '') return mayBeEmpty ? [head, text] : splitAtCells(text, 2);
  if (tail.startsWith(' ')) return [head, ownWords(tail.slice(1))];
  const blank = head.lastIndexOf(' ');
  if (blank > head.length / 2) return [ownWords(head.slice(0, blank)), ownWords(head.slice(blank + 1) + tail)];
  return blank < 0 && mayBeEmpty && firstWordCells(text) <= nextCells ? [ownWords(''), text] : [head, tail];
}

function firstWordCells(text: Visible): number {
  const end = text.indexOf(' ');
  return cellsOf(end < 0 ? text : ownWords(text.slice(0, end)));
}
