import { fitRow } from './fit-row.js';
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

/** Makes a painter for a terminal whose screen is empty. */
export function createRowPainter(output: TerminalOutput): RowPainter {
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
