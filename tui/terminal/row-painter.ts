import { glyphAt } from '../text/glyph.js';
import { findRowShift, type RowShift, shiftRows } from './row-shift.js';
import type { TerminalOutput } from './terminal-streams.js';

/**
 * Paints frames on a terminal: compares rows with what is there, moves those that moved together and writes only those that changed, by absolute
 * position, inside the marks of a synchronized update. The screen as a whole never scrolls. While a slow terminal has not taken the last frame, newer ones replace each other and only the last is painted.
 */
export interface RowPainter {
  /** Shows a frame; rows beyond the window are left out, missing ones are empty. */
  show(rows: readonly string[]): void;
  /** Whatever is on the terminal counts as lost: the next frame is painted whole. */
  invalidate(): void;
  /** Paints the last frame anew, also after a pause. */
  repaint(): void;
  /** Paints nothing until `repaint`; frames are kept. */
  pause(): void;
}

const BEGIN_UPDATE = '\u001b[?2026h';
const END_UPDATE = '\u001b[?2026l';
const CLEAR_SCREEN = '\u001b[2J';
const ERASE_ROW = '\u001b[K';

export interface RowPainterOptions {
  /** Shows the cursor and leaves it where one is, which is what screen readers follow; default: there is none to be seen. */
  showsCursor?: boolean;
}

/** Styles, which take no cells. */
const STYLES = /\u001b\[[0-9;]*m/g;
/** A text that is being typed ends in the first; a selected row begins with one of the others. */
const TYPED = /[█]/;
const SELECTED = /^ {0,2}[›>]/;

/** Makes a painter for a terminal whose screen is empty. */
export function createRowPainter(output: TerminalOutput, { showsCursor = false }: RowPainterOptions = {}): RowPainter {
  let wanted: readonly string[] = [];
  let painted: string[] = [];
  let mustClear = true;
  let isWaiting = false;
  let isPaused = false;

  const onDrain = (): void => {
    isWaiting = false;
    paint();
  };

  function paint(): void {
    if (isWaiting || isPaused) return;
    const { columns, rows: height } = output;
    if (mustClear) painted = [];
    let update = mustClear ? CLEAR_SCREEN : '';
    const shift = findRowShift(painted, wanted, height);
    if (shift !== undefined) {
      shiftRows(painted, shift);
      update += moveRows(shift);
    }
    for (let place = 0; place < height; place += 1) {
      const row = wanted[place] ?? '';
      if (row === (painted[place] ?? '')) continue;
      painted[place] = row;
      // Erased first: behind a full row the cursor stands on its last character.
      update += `\u001b[${place + 1};1H${ERASE_ROW}${fitRow(row, columns)}`;
    }
    mustClear = false;
    if (update === '') return;
    if (showsCursor) update += cursorAt(wanted.slice(0, height));
    isWaiting = !output.write(BEGIN_UPDATE + update + END_UPDATE);
    if (isWaiting) output.once('drain', onDrain);
  }

  return {
    show(rows) {
      wanted = rows;
      paint();
    },
    invalidate() {
      mustClear = true;
    },
    repaint() {
      mustClear = true;
      isPaused = false;
      paint();
    },
    pause() {
      isPaused = true;
    },
  };
}

/**
 * Moves rows by deleting or inserting lines at the top of a scrolling region: the Linux console knows no `CSI S` and `CSI T`. The cursor is
 * somewhere else afterwards.
 */
function moveRows({ top, end, up }: RowShift): string {
  const move = up > 0 ? `${up}M` : `${-up}L`;
  return `\u001b[${top + 1};${end}r\u001b[${top + 1};1H\u001b[${move}\u001b[r`;
}

/** Puts the cursor where one types, else on the selected row, else into the last one. */
function cursorAt(rows: readonly string[]): string {
  const texts = rows.map((row) => row.slice(0, 2_000).replace(STYLES, ''));
  const typed = texts.findLastIndex((text) => TYPED.test(text));
  if (typed >= 0) return `\u001b[${typed + 1};${(texts[typed] ?? '').search(TYPED) + 1}H\u001b[?25h`;
  const selected = texts.findIndex((text) => SELECTED.test(text));
  return `\u001b[${selected < 0 ? rows.length : selected + 1};1H\u001b[?25h`;
}

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
