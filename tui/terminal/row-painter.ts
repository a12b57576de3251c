import { glyphAt } from '../text/glyph.js';
import { findRowShift, type RowShift, shiftRows } from './row-shift.js';
import type { TerminalOutput } from './screen-session.js';

const BEGIN_UPDATE = '\u001b[?2026h';
const END_UPDATE = '\u001b[?2026l';
const CLEAR_SCREEN = '\u001b[2J';
const ERASE_ROW = '\u001b[K';

/** Escape sequences of styles and hyperlinks (OSC 8), which take no cells. */
const STYLES = /\u001b(?:\[[0-9;]*m|\]8;;[!-~]*\u001b\\)/g;
const LINK = '\u001b]8;';
/** The typing cursor, and the start of a selected row. */
const TYPED = /[█]/;
const SELECTED = /^ {0,2}[›>]/;
const RESET = '\u001b[0m';
/** From the start of a row or the end of a style to the next style. */
const PLAIN_TEXT = /(?:^|\u001b\[0m)[^\u001b]+/g;
const GAP = / {6,}/g;
const NARROW_START = /^[\u001b\x20-\x7e─│·…]+/;

/**
 * Paints frames: moves blocks and writes changed rows inside a synchronized update; while the terminal is slow, only the newest frame.
 */
export class RowPainter {
  readonly #output: TerminalOutput;
  readonly #showsCursor: boolean;
  /** The rows of the newest frame. */
  #wanted: readonly string[] = [];
  /** What the terminal shows. */
  #painted: string[] = [];
  #mustClear = true;
  #isWaiting = false;
  #isPaused = false;

  /** With `showsCursor`, for screen readers, the cursor is at the selection or the typed text. */
  constructor(output: TerminalOutput, showsCursor = false) {
    this.#output = output;
    this.#showsCursor = showsCursor;
  }

  /** Shows a frame; rows outside the window are ignored, missing ones are empty. */
  show(rows: readonly string[]): void {
    this.#wanted = rows;
    this.#paint();
  }

  /** Makes the next frame paint the whole screen. */
  invalidate(): void {
    this.#mustClear = true;
  }

  /** Paints the last frame again and ends a pause. */
  repaint(): void {
    this.#mustClear = true;
    this.#isPaused = false;
    this.#paint();
  }

  /** Paints nothing until `repaint`; the newest frame is kept. */
  pause(): void {
    this.#isPaused = true;
  }

  #paint(): void {
    if (this.#isWaiting || this.#isPaused) return;
    let update = this.#mustClear ? CLEAR_SCREEN : '';
    if (this.#mustClear) this.#painted = [];
    this.#mustClear = false;
    update += this.#moveBlocks() + this.#changeRows();
    if (update === '') return;
    if (this.#showsCursor) update += cursorAt(this.#wanted.slice(0, this.#output.rows));
    this.#isWaiting = !this.#output.write(BEGIN_UPDATE + update + END_UPDATE);
    if (this.#isWaiting) this.#output.once('drain', () => this.#paintAfterDrain());
  }

  #paintAfterDrain(): void {
    this.#isWaiting = false;
    this.#paint();
  }

  #moveBlocks(): string {
    const shift = findRowShift(this.#painted, this.#wanted, this.#output.rows);
    if (shift === undefined) return '';
    shiftRows(this.#painted, shift);
    return moveRows(shift);
  }

  #changeRows(): string {
    let changes = '';
    for (let index = 0; index < this.#output.rows; index += 1) {
      const row = this.#wanted[index] ?? '';
      const before = this.#painted[index] ?? '';
      if (row === before) continue;
      this.#painted[index] = row;
      changes += rowChange(before, row, index, this.#output.columns);
    }
    return changes;
  }
}

/** Writes what differs between two versions of a row: plain text of equal width, else the row from its first difference on. */
function rowChange(before: string, row: string, index: number, columns: number): string {
  // A change within a linked text would lose the link.
  const isLinked = before.includes(LINK) || row.includes(LINK);
  const start = isLinked ? 0 : sameStart(before, row);
  const cells = row.slice(0, start).replace(STYLES, '').length;
  if (cells >= columns) return '';
  const cursor = `\u001b[${index + 1};${cells + 1}H`;
  const end = before.length === row.length && !isLinked ? differenceEnd(before, row, start) : row.length;
  const isInsideRow = end < row.length && cells + end - start <= columns;
  if (isInsideRow && isPlainChange(before, row, start, end)) return cursor + row.slice(start, end);
  // Erase first: after a full row the cursor is on its last character.
  return `${cursor}${ERASE_ROW}${withMoves(fitRow(row.slice(start), columns - cells))}`;
}

/** The offset from which two texts of one length are equal. */
function differenceEnd(before: string, row: string, start: number): number {
  let end = row.length;
  while (end > start && row[end - 1] === before[end - 1]) end -= 1;
  return end;
}

/** Whether writing `row` from `start` to `end` over `before` changes neither widths nor styles. */
function isPlainChange(before: string, row: string, start: number, end: number): boolean {
  const isAscii = [row, before].every((text) => PRINTABLE_ASCII.test(text.slice(start, end)));
  return isAscii && NARROW_START.test(row.charAt(end));
}

/** Length of the start that two rows share. It ends outside of styles and before a character whose width terminals may disagree on. */
function sameStart(before: string, row: string): number {
  const [narrow] = NARROW_START.exec(row) ?? [''];
  let same = 0;
  while (same < narrow.length && row[same] === before[same]) same += 1;
  // A mark could join the last character.
  if (same === narrow.length && same < row.length) same -= 1;
  const reset = same < RESET.length ? -1 : row.lastIndexOf(RESET, same - RESET.length);
  const style = row.indexOf('\u001b', reset < 0 ? 0 : reset + RESET.length);
  return Math.max(0, style < 0 ? same : Math.min(same, style));
}

/** Moves over long gaps of an erased row instead of writing spaces; those of a style may be visible. */
function withMoves(row: string): string {
  return row.replace(PLAIN_TEXT, (text) => text.replace(GAP, (gap) => `\u001b[${gap.length}C`));
}

/** Moves rows by lines deleted or inserted in a scrolling region, because the Linux console has no `CSI S` and `CSI T`. */
function moveRows({ top, end, up }: RowShift): string {
  const move = up > 0 ? `${up}M` : `${-up}L`;
  return `\u001b[${top + 1};${end}r\u001b[${top + 1};1H\u001b[${move}\u001b[r`;
}

function cursorAt(rows: readonly string[]): string {
  const texts = rows.map((row) => row.slice(0, 2_000).replace(STYLES, ''));
  const typed = texts.findLastIndex((text) => TYPED.test(text));
  if (typed >= 0) return `\u001b[${typed + 1};${(texts[typed] ?? '').search(TYPED) + 1}H\u001b[?25h`;
  const selected = texts.findIndex((text) => SELECTED.test(text));
  return `\u001b[${selected < 0 ? rows.length : selected + 1};1H\u001b[?25h`;
}

/** The only escape sequences that may reach the terminal; all others are made visible. */
const STYLE = /\u001b(?:\[[0-9;]{0,32}m|\]8;;[!-~]{0,2000}\u001b\\)/g;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** Cuts a painted row to `columns` cells and resets styles; as the last defence it makes control characters visible. */
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
