import { glyphAt } from '../format/glyph.js';

/** Only styles may reach the terminal; everything else that begins with an escape is shown instead. */
const STYLE = /\u001b\[[0-9;]{0,32}m/g;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
const RESET = '\u001b[0m';

/**
 * A painted row as it may be written: at most `columns` cells, never half of a wide character, styles closed at its end.
 * The last defence: whatever a screen forgot to neutralise is made visible here.
 */
export function fitRow(row: string, columns: number): string {
  if (row.length <= columns && PRINTABLE_ASCII.test(row)) return row;
  let fitted = '';
  let left = columns;
  let from = 0;
  for (const style of row.matchAll(STYLE)) {
    const text = fitText(row.slice(from, style.index), left);
    fitted += text.shown + style[0];
    left -= text.cells;
    from = style.index + style[0].length;
  }
  const isStyled = from > 0;
  fitted += fitText(row.slice(from), left).shown;
  return isStyled && !fitted.endsWith(RESET) ? fitted + RESET : fitted;
}

function fitText(text: string, room: number): { shown: string; cells: number } {
  if (text.length <= room && PRINTABLE_ASCII.test(text)) return { shown: text, cells: text.length };
  let shown = '';
  let cells = 0;
  for (let offset = 0; offset < text.length; ) {
    const glyph = glyphAt(text, offset);
    if (cells + glyph.cells > room) return { shown, cells: room };
    shown += glyph.shown;
    cells += glyph.cells;
    offset = glyph.end;
  }
  return { shown, cells };
}
