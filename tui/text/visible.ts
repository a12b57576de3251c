import { glyphAt } from './glyph.js';

declare const brand: unique symbol;

/** Text without control and hidden characters, safe to write to a terminal. Only `neutralise`, `cutToCells` and `ownWords` make it from strings. */
export type Visible = string & { readonly [brand]: 'Visible' };

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
const ELLIPSIS = '…';

/** Marks a literal as visible; never use it for text from outside. */
export function literal(words: string): Visible {
  return words as Visible;
}

/** The whole text in visible form, newlines and tabs included; idempotent. */
export function neutralise(text: string): Visible {
  if (PRINTABLE_ASCII.test(text)) return literal(text);
  const shown: string[] = [];
  for (let offset = 0; offset < text.length; ) {
    const glyph = glyphAt(text, offset);
    shown.push(glyph.shown);
    offset = glyph.end;
  }
  return literal(shown.join(''));
}

export function cellsOf(visible: Visible): number {
  if (PRINTABLE_ASCII.test(visible)) return visible.length;
  let cells = 0;
  for (let offset = 0; offset < visible.length; ) {
    const glyph = glyphAt(visible, offset);
    cells += glyph.cells;
    offset = glyph.end;
  }
  return cells;
}

/** The start of a text in visible form, at most `cells` wide, with `…` at its end if it was cut. Reads only what is shown. */
export function cutToCells(text: string, cells: number): Visible {
  if (cells <= 0) return literal('');
  const start = text.slice(0, cells + 1);
  if (PRINTABLE_ASCII.test(start) && start.length <= cells) return literal(start);
  let shown = '';
  let width = 0;
  // The longest start that leaves room for the ellipsis.
  let kept = '';
  for (let offset = 0; offset < text.length; ) {
    const glyph = glyphAt(text, offset);
    if (width + glyph.cells > cells) return literal(kept + ELLIPSIS);
    width += glyph.cells;
    shown += glyph.shown;
    if (width < cells) kept = shown;
    offset = glyph.end;
  }
  return literal(shown);
}

/** Splits visible text into its first `cells` cells and the rest. */
export function splitAtCells(visible: Visible, cells: number): readonly [Visible, Visible] {
  let offset = 0;
  for (let left = cells; offset < visible.length; ) {
    const glyph = glyphAt(visible, offset);
    if (glyph.cells > left) break;
    left -= glyph.cells;
    offset = glyph.end;
  }
  return [literal(visible.slice(0, offset)), literal(visible.slice(offset))];
}

/** The end of a visible text in at most `cells` cells. */
export function endInCells(visible: Visible, cells: number): Visible {
  let offset = 0;
  for (let over = cellsOf(visible) - cells; over > 0 && offset < visible.length; ) {
    const glyph = glyphAt(visible, offset);
    over -= glyph.cells;
    offset = glyph.end;
  }
  return literal(visible.slice(offset));
}

/** Visible text of exactly `cells` cells: cut or filled with blanks at its end, or at its start with `right`. */
export function fitToCells(text: string, cells: number, align: 'left' | 'right' = 'left'): Visible {
  const shown = cutToCells(text, cells);
  const blanks = ' '.repeat(Math.max(0, cells - cellsOf(shown)));
  return literal(align === 'left' ? shown + blanks : blanks + shown);
}
