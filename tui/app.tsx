import { Box } from 'ink';
import { type ReactElement, useSyncExternalStore } from 'react';
import type { Browser } from './browser.js';
import { BottomRows } from './components/bottom-rows.js';
import { SheetView } from './components/sheet-view.js';
import { TooSmall } from './components/too-small.js';
import { ViewContext } from './hooks/use-view.js';
import { EventScreen } from './screens/event/event-screen.js';
import { EventsScreen } from './screens/events/events-screen.js';
import { IssueScreen } from './screens/issue/issue-screen.js';
import { IssuesScreen } from './screens/issues/issues-screen.js';
import { isTooSmall } from './state/layout.js';
import { type TerminalState, topScreen } from './state/terminal-state.js';
import type { RowReferences } from './terminal/row-references.js';
import type { Theme } from './theme.js';

export interface AppProps {
  browser: Browser;
  theme: Theme;
  references: RowReferences;
}

/** The whole terminal: the visible screen of the browser's state, and what lies over it. */
export function App({ browser, theme, references }: AppProps): ReactElement {
  const state = useTerminalState(browser);
  const { size, nowMs, habits } = state;
  return (
    <ViewContext.Provider value={{ size, nowMs, habits, theme, references }}>
      <Box flexDirection="column">
        <Visible state={state} />
      </Box>
    </ViewContext.Provider>
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
      return <IssuesScreen state={state} screen={screen} />;
    case 'issue':
      return <IssueScreen state={state} screen={screen} />;
    case 'event':
      return <EventScreen state={state} screen={screen} />;
    case 'events':
      return <EventsScreen state={state} screen={screen} />;
  }
}

/** The browser's state; the component is drawn again when it changes. */
function useTerminalState(browser: Browser): TerminalState {
  return useSyncExternalStore(browser.subscribe, browser.state);
}
