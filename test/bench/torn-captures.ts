import { rowsOf } from '../helpers/screen-rows.js';
import { createScreen, selectedRow, type TerminalProcess } from './terminal-process.js';

const BEGIN_UPDATE = '\u001b[?2026h';
const END_UPDATE = '\u001b[?2026l';
const DRAW_AGAIN = '\u000c';
/** Down, up, a page down, a page up. */
const MOVES = ['j', 'j', 'j', 'k', 'k', '\u001b[6~', '\u001b[5~'];
const QUIET_MS = 50;

/**
 * Counts incomplete frames among captures of the screen at random moments after the first list: without the first or last row, or with
 * no selection or two. During an update a capture shows the screen before it, like terminals.
 */
export async function countTorn(written: string, captures: number): Promise<number> {
  const first = written.indexOf(END_UPDATE, written.search(/[›❯▸]/)) + END_UPDATE.length;
  const moments = Array.from({ length: captures }, () => first + Math.floor(Math.random() * (written.length - first)));
  moments.sort((a, b) => a - b);
  const screen = createScreen();
  let parsed = 0;
  let torn = 0;
  let isTorn = true;
  for (const moment of moments) {
    const begin = written.lastIndexOf(BEGIN_UPDATE, moment);
    const end = written.lastIndexOf(END_UPDATE, moment - END_UPDATE.length);
    const until = begin > end ? begin : moment;
    if (until > parsed) {
      const text = written.slice(parsed, until);
      parsed = until;
      await new Promise<void>((resolve) => screen.write(text, resolve));
      isTorn = looksTorn(rowsOf(screen));
    }
    if (isTorn) torn += 1;
  }
  return torn;
}

/** Counts screens after random keys that differ from a full repaint. */
export async function countWronglyPainted(terminal: TerminalProcess, screens: number): Promise<number> {
  let wrong = 0;
  for (let compared = 0; compared < screens; ) {
    terminal.type(randomKeys(1 + Math.floor(Math.random() * 6)));
    await untilQuiet(terminal);
    const before = terminal.rows().join('\n');
    const framesBefore = terminal.frames.length;
    terminal.type(DRAW_AGAIN);
    await untilQuiet(terminal);
    // A second frame may show a change of the data.
    if (terminal.frames.length !== framesBefore + 1) continue;
    compared += 1;
    if (terminal.rows().join('\n') !== before) wrong += 1;
  }
  return wrong;
}

/** Returns random keys that move the selection and scroll. */
export function randomKeys(count: number): string {
  return Array.from({ length: count }, () => MOVES[Math.floor(Math.random() * MOVES.length)]).join('');
}

/** Waits until no new frame arrives. */
async function untilQuiet({ frames }: TerminalProcess): Promise<void> {
  let seen = -1;
  while (seen !== frames.length) {
    seen = frames.length;
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  }
}

function looksTorn(rows: readonly string[]): boolean {
  const selected = selectedRow(rows);
  const hasTwo = selectedRow(rows.slice(selected + 1)) >= 0;
  return rows[0] === '' || rows.at(-1) === '' || selected < 0 || hasTwo;
}
