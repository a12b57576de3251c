import { type Line, type Span, span, words } from './line.js';
import { cellsOf, literal, splitAtCells, type Visible } from './visible.js';

/** Wraps a line at blanks, or anywhere if the second half of a row has none; rows after the first begin with `indent` blanks. */
export function wrapLine(line: Line, cells: number, indent = 0): Line[] {
  const margin = Math.max(0, Math.min(indent, cells - 8));
  const rows: Line[] = [];
  let row: Span[] = [];
  let room = cells;
  for (const { text, meaning } of line) {
    let rest = text;
    // Measures one row at a time: measuring the whole rest for every row would take quadratic time.
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

/** Splits text into what fits and the rest, without the blank between. `nextCells` is 0 for an empty row; a word that fits the next row is not split. */
function breakAt(text: Visible, room: number, nextCells: number): readonly [Visible, Visible] {
  const mayBeEmpty = nextCells > 0;
  const [head, tail] = splitAtCells(text, Math.max(room, mayBeEmpty ? 0 : 1));
  if (head === '') return mayBeEmpty ? [head, text] : splitAtCells(text, 2);
  if (tail.startsWith(' ')) return [head, literal(tail.slice(1))];
  const blank = head.lastIndexOf(' ');
  if (blank > head.length / 2) return [literal(head.slice(0, blank)), literal(text.slice(blank + 1))];
  return blank < 0 && mayBeEmpty && firstWordFits(text, nextCells) ? [literal(''), text] : [head, tail];
}

function fits(text: Visible, cells: number): boolean {
  return splitAtCells(text, cells)[1] === '';
}

function firstWordFits(text: Visible, cells: number): boolean {
  const [head, tail] = splitAtCells(text, cells);
  return tail === '' || tail.startsWith(' ') || head.includes(' ');
}
