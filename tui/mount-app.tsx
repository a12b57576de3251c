import { render } from 'ink';
import { App } from './app.js';
import type { Browser } from './browser.js';
import { RowDiffStream } from './terminal/row-diff-stream.js';
import type { RowPainter } from './terminal/row-painter.js';
import { createRowReferences } from './terminal/row-references.js';
import type { Theme } from './theme.js';

export interface MountOptions {
  browser: Browser;
  theme: Theme;
  painter: RowPainter;
}

/** The drawn app. */
export interface MountedApp {
  /** Rejects when a component threw. */
  readonly ended: Promise<unknown>;
  unmount(): void;
}

/** Draws the app through Ink on a painter. Importing this file loads Ink, which takes half a second where it is not bundled. */
export function mountApp({ browser, theme, painter }: MountOptions): MountedApp {
  const references = createRowReferences();
  const canvas: unknown = new RowDiffStream(painter, references);
  const ink = render(<App browser={browser} theme={theme} references={references} />, {
    // Ink only writes to it and asks for `columns`; its type wants a whole socket.
    stdout: canvas as NodeJS.WriteStream,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  return { ended: ink.waitUntilExit(), unmount: ink.unmount };
}
