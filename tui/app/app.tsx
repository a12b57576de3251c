import { Box, render } from 'ink';
import { type ReactElement, useSyncExternalStore } from 'react';
import { isTooSmall, MIN_WINDOW, screenRows } from '../components/layout.js';
import { Lines } from '../components/lines.js';
import { TitleBar } from '../components/title-bar.js';
import { DrawnView, useView, type View } from '../components/use-view.js';
import { overlayLines } from '../overlays/overlay-lines.js';
import { sheetRows } from '../overlays/sheet.js';
import { EventScreenView } from '../screens/event/event-screen.js';
import { IssueScreenView } from '../screens/issue/issue-screen.js';
import { EventsScreenView } from '../screens/lists/events-screen.js';
import { IssuesScreenView } from '../screens/lists/issues-screen.js';
import { MAX_MARKED } from '../screens/lists/list-changes.js';
import type { Sheet } from '../state/overlay.js';
import { mayAct } from '../state/read-only.js';
import { type TerminalState, topScreen } from '../state/terminal-state.js';
import { bindingsAt, type Command, type KeyBinding } from '../terminal/keymap.js';
import { RowCanvas } from '../terminal/row-canvas.js';
import type { RowPainter } from '../terminal/row-painter.js';
import type { Theme } from '../terminal/theme.js';
import { fullCount } from '../text/counts.js';
import { keyLabel } from '../text/key-label.js';
import { type Line, lineCells, span, spread, words } from '../text/line.js';
import { neutralise } from '../text/visible.js';
import type { Browser } from './run-loop.js';
import { logicOf } from './screen-table.js';
import { keyScopeOf } from './update.js';

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
    default:
      return <TextScreen state={state} />;
  }
}

function TextScreen({ state }: { state: TerminalState }): ReactElement {
  const { path = '', fact, lines = [] } = logicOf(topScreen(state)).draw(state) ?? {};
  const rows = screenRows(state) - 1;
  return (
    <>
      <TitleBar path={path} facts={fact === undefined ? [] : [{ text: span(fact), rank: 0 }]} state={state} />
      <Lines lines={lines.slice(0, rows)} rows={rows} />
    </>
  );
}

function SheetView({ sheet, state }: { sheet: Sheet<TerminalState>; state: TerminalState }): ReactElement {
  const rows = sheetRows(state);
  const more = sheet.lines.length > sheet.top + rows ? [words(' ↓', 'label'), words(' more ', 'muted')] : [];
  const before = sheet.top > 0 ? [words(' ↑', 'label'), words(' up ', 'muted')] : [];
  const actions = (sheet.actions ?? []).flatMap(({ key = '', label }) => hintOf(key, label));
  return (
    <>
      <TitleBar path={sheet.title} state={state} isSheet />
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

const ALWAYS: ReadonlySet<Command> = new Set(['help', 'quit']);

/** The bottom rows: the overlay, else the notice, else why the connection is lost, else hints. */
function BottomRows({ state }: { state: TerminalState }): ReactElement {
  const { overlay, size } = state;
  if (overlay !== undefined) return <Lines lines={overlayLines(overlay, state)} />;
  const position = logicOf(topScreen(state)).position(state);
  const right: Line = [words('  '), span(position, 'muted'), words(' ')];
  const room = size.columns - lineCells(right);
  const notice = noticeLine(state);
  // A long notice needs the room of the position.
  if (notice !== undefined && lineCells(notice) > room) return <Lines lines={[notice]} />;
  return <Lines lines={[spread(notice ?? markedLine(state) ?? hintLine(offered(state), room), right, size.columns)]} />;
}

/** What the marked issues are for; `mark_all` also says how many it would mark. */
const MARKED_HINTS = [
  ['resolve', 'resolve'],
  ['reopen', 'reopen'],
  ['ignore', 'ignore'],
  ['assign', 'assign'],
  ['merge', 'merge'],
  ['mark_all', 'all'],
  ['back', 'unmark'],
] as const;

/** The hints while issues are marked; undefined while none are. */
function markedLine(state: TerminalState): Line | undefined {
  const screen = topScreen(state);
  if (screen.kind !== 'issues' || screen.marked.size === 0) return undefined;
  const bindings = offered(state);
  const hints = MARKED_HINTS.flatMap(([command, name]) => {
    const key = bindings.find((binding) => binding.command === command)?.keys[0];
    const most = command === 'mark_all' ? ` ${fullCount(Math.min(screen.total, MAX_MARKED))}` : '';
    return key === undefined ? [] : hintOf(key, name + most);
  });
  return [words(` ${fullCount(screen.marked.size)} marked `, 'marked'), ...hints];
}

function noticeLine({ notice, connection, stack, sources: [source] }: TerminalState): Line | undefined {
  if (notice !== undefined) return [words(' '), span(neutralise(notice.text), notice.tone)];
  if (connection.kind !== 'lost') return undefined;
  const isShown = stack[0].list.rows.length > 0 && source !== undefined;
  const lost = `No answer from ${source?.address}. Issues can only be read for now.`;
  return [words(' '), span(neutralise(isShown && !connection.isUnauthorized ? lost : connection.reason), 'error')];
}

function offered(state: TerminalState): readonly KeyBinding[] {
  const logic = logicOf(topScreen(state));
  const bindings = bindingsAt(state.keymap, keyScopeOf(state), mayAct(state));
  return bindings.filter(({ command }) => logic.isOffered(state, command));
}

/** As many whole hints as fit; `help` and `quit` are always among them. */
function hintLine(bindings: readonly KeyBinding[], cells: number): Line {
  const hints = bindings.flatMap(({ command, keys, hint }) =>
    hint === undefined || keys[0] === undefined ? [] : [{ command, line: hintOf(keys[0], hint) }],
  );
  const always = hints.filter(({ command }) => ALWAYS.has(command));
  let room = cells - always.reduce((sum, { line }) => sum + lineCells(line), 0);
  return hints.flatMap(({ command, line }) => {
    if (ALWAYS.has(command)) return line;
    room -= lineCells(line);
    return room < 0 ? [] : line;
  });
}

function hintOf(key: string, hint: string): Line {
  return [words(` ${keyLabel(key)}`, 'label'), words(` ${hint} `, 'muted')];
}
