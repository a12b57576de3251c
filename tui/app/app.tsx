import { render } from 'ink';
import { type ReactElement, useSyncExternalStore } from 'react';
import { Lines, type LinesProps } from '../components/lines.js';
import { RowCanvas } from '../terminal/row-canvas.js';
import type { RowPainter } from '../terminal/row-painter.js';
import type { Theme } from '../terminal/theme.js';
import { frameLines } from './frame-lines.js';
import type { Browser } from './run-loop.js';

/** The app mounted in Ink. */
export type MountedApp = ReturnType<typeof mountApp>;

/** Draws the browser's state through Ink on a painter. Import this file lazily: it loads Ink. */
export function mountApp(browser: Browser, theme: Theme, painter: RowPainter) {
  const canvas = new RowCanvas(painter);
  // Ink only writes to it and reads `columns`; its type requires a whole socket.
  const stdout: unknown = canvas;
  const ink = render(<App browser={browser} theme={theme} refer={(row) => canvas.refer(row)} />, {
    stdout: stdout as NodeJS.WriteStream,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  // `ended` rejects if a component throws.
  return { ended: ink.waitUntilExit(), unmount: ink.unmount };
}

/** The state, drawn again after every change of it. */
function App({ browser, ...look }: { browser: Browser } & Pick<LinesProps, 'theme' | 'refer'>): ReactElement {
  const state = useSyncExternalStore(browser.subscribe, browser.state);
  return <Lines lines={frameLines(state)} columns={state.size.columns} {...look} />;
}
