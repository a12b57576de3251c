import { Writable } from 'node:stream';
import { Box, render, Transform } from 'ink';
import { type ReactElement, useSyncExternalStore } from 'react';
import type { RowPainter } from '../terminal/row-painter.js';
import type { Theme } from '../terminal/theme.js';
import { cutLine, type Line } from '../text/line.js';
import { frameLines } from './frame-lines.js';
import type { Browser } from './run-loop.js';

/** The app mounted in Ink. */
export interface MountedApp {
  /** Settles once Ink has ended; rejects if a component throws. */
  readonly ended: Promise<unknown>;
  unmount(): void;
}

/** Draws the browser's state through Ink on a painter. Import this file lazily: it loads Ink. */
export function mountApp(browser: Browser, theme: Theme, painter: RowPainter): MountedApp {
  const canvas = new RowCanvas(painter);
  // Ink only writes to it and reads `columns`; its type requires a whole socket.
  const stdout: unknown = canvas;
  const ink = render(<App browser={browser} theme={theme} refer={(row) => canvas.refer(row)} />, {
    stdout: stdout as NodeJS.WriteStream,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  return { ended: ink.waitUntilExit(), unmount: ink.unmount };
}

function App({ browser, ...look }: { browser: Browser } & Pick<LinesProps, 'theme' | 'refer'>): ReactElement {
  const state = useSyncExternalStore(browser.subscribe, browser.state);
  return <Lines lines={frameLines(state)} columns={state.size.columns} {...look} />;
}

interface LinesProps {
  lines: readonly Line[];
  columns: number;
  theme: Theme;
  /** Registers a painted row and returns the character that stands for it in Ink. */
  refer: (row: string) => string;
}

/** Draws one line per row. Ink sees one character for each. */
function Lines({ lines, columns, theme, refer }: LinesProps): ReactElement {
  const draw = (_blank: string, index: number): string => refer(theme.paint(cutLine(lines[index] ?? [], columns)));
  // Ink neither measures nor draws empty text.
  const blankRows = lines.map(() => '.').join('\n');
  return (
    <Box height={lines.length} flexShrink={0}>
      <Transform transform={draw}>{blankRows}</Transform>
    </Box>
  );
}

/** The width that Ink sees. */
const CANVAS_COLUMNS = 1;
/** The first of 6,400 private-use characters, one for each row of a frame. */
const FIRST_REFERENCE = 0xe000;
const MAX_REFERENCES = 6_400;

/** The stdout of Ink: each write is a frame (`debug`), a row one character (Ink measures), no `isTTY` and no resize (Ink would move or erase). */
class RowCanvas extends Writable {
  readonly columns = CANVAS_COLUMNS;
  readonly #painter: RowPainter;
  #rows: string[] = [];

  constructor(painter: RowPainter) {
    super({ decodeStrings: false });
    this.#painter = painter;
  }

  /** Registers a painted row and returns the character that stands for it in this frame. */
  refer(row: string): string {
    if (this.#rows.length >= MAX_REFERENCES) return '';
    this.#rows.push(row);
    return String.fromCharCode(FIRST_REFERENCE + this.#rows.length - 1);
  }

  override _write(frame: unknown, _encoding: string, done: () => void): void {
    // Ink ends with an empty write, or with a bare newline under CI=1.
    if (typeof frame === 'string' && frame.trim() !== '') {
      const rows = frame.split('\n').map((line) => this.#rows[line.charCodeAt(0) - FIRST_REFERENCE] ?? '');
      this.#rows = [];
      this.#painter.show(rows);
    }
    done();
  }
}
