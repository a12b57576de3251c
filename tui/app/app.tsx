import { Box, render } from 'ink';
import { type ReactElement, useSyncExternalStore } from 'react';
import { isTooSmall, MIN_WINDOW } from '../components/layout.js';
import { Lines } from '../components/lines.js';
import { TitleBar } from '../components/title-bar.js';
import { DrawnView, useView, type View } from '../components/use-view.js';
import { sheetRows } from '../overlays/sheet.js';
import { EventScreenView } from '../screens/event/event-screen.js';
import { IssueScreenView } from '../screens/issue/issue-screen.js';
import { EventsScreenView } from '../screens/lists/events-screen.js';
import { IssuesScreenView } from '../screens/lists/issues-screen.js';
import type { Sheet } from '../state/overlay.js';
import { type TerminalState, topScreen } from '../state/terminal-state.js';
import { RowCanvas } from '../terminal/row-canvas.js';
import type { RowPainter } from '../terminal/row-painter.js';
import type { Theme } from '../terminal/theme.js';
import { words } from '../text/line.js';
import { BottomRows, hintOf } from './bottom-rows.js';
import type { Browser } from './run-loop.js';

/** The app mounted in Ink. */
export interface MountedApp {
  /** Rejects if a component throws. */
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

/** The visible screen and its overlay, drawn again after every change of the state. */
function App({ browser, ...look }: { browser: Browser } & Pick<View, 'theme' | 'refer'>): ReactElement {
  const state = useSyncExternalStore(browser.subscribe, browser.state);
  const { size, nowMs, habits } = state;
  return (
    <DrawnView.Provider value={{ size, nowMs, habits, ...look }}>
      <Box flexDirection="column">
        <Visible state={state} />
      </Box>
    </DrawnView.Provider>
  );
}

function Visible({ state }: { state: TerminalState }): ReactElement {
  if (isTooSmall(state.size)) return <TooSmall />;
  if (state.overlay?.kind === 'sheet') return <SheetView sheet={state.overlay} state={state} />;
  return (
    <>
      <VisibleScreen state={state} />
      <BottomRows state={state} />
    </>
  );
}

function VisibleScreen({ state }: { state: TerminalState }): ReactElement {
  const screen = topScreen(state);
  switch (screen.kind) {
    case 'issues':
      return <IssuesScreenView state={state} screen={screen} />;
    case 'issue':
      return <IssueScreenView state={state} screen={screen} />;
    case 'event':
      return <EventScreenView state={state} screen={screen} />;
    case 'events':
      return <EventsScreenView state={state} screen={screen} />;
  }
}

function SheetView({ sheet, state }: { sheet: Sheet<TerminalState>; state: TerminalState }): ReactElement {
  const rows = sheetRows(state);
  const more = sheet.lines.length > sheet.top + rows ? [words(' ↓', 'label'), words(' more ', 'muted')] : [];
  const before = sheet.top > 0 ? [words(' ↑', 'label'), words(' up ', 'muted')] : [];
  const actions = (sheet.actions ?? []).flatMap(({ key = '', label }) => hintOf(key, label));
  return (
    <>
      <TitleBar path={sheet.title} state={state} />
      <Lines lines={sheet.lines.slice(sheet.top, sheet.top + rows)} rows={rows} />
      <Lines lines={[[words(' Esc', 'label'), words(' back ', 'muted'), ...actions, ...more, ...before]]} />
    </>
  );
}

function TooSmall(): ReactElement {
  const { size } = useView();
  const { columns, rows } = MIN_WINDOW;
  const lines = [
    [words(`The window is ${size.columns}x${size.rows};`, 'strong')],
    [words(`Faultline needs ${columns}x${rows}.`, 'strong')],
    [words('q quits')],
  ];
  return <Lines lines={lines.slice(0, size.rows)} />;
}
