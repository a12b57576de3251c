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
    // Looks no further than the row: measuring all that is left for every row would take the square of a long text.
    while (!fits(rest, room)) {
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
  if (blank > head.length / 2) return [ownWords(head.slice(0, blank)), ownWords(text.slice(blank + 1))];
  return blank < 0 && mayBeEmpty && firstWordFits(text, nextCells) ? [ownWords(''), text] : [head, tail];
}

function fits(text: Visible, cells: number): boolean {
  return splitAtCells(text, cells)[1] === '';
}

function firstWordFits(text: Visible, cells: number): boolean {
  const [head, tail] = splitAtCells(text, cells);
  return tail === '' || tail.startsWith(' ') || head.includes(' ');
}
