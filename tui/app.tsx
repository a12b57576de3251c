import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { Browser } from './browser.js';
import { TooSmall } from './components/too-small.js';
import { useTerminalState } from './hooks/use-terminal-state.js';
import { ViewContext } from './hooks/use-view.js';
import { EventScreen } from './screens/event-screen.js';
import { EventsScreen } from './screens/events-screen.js';
import { HelpScreen } from './screens/help-screen.js';
import { IssuesScreen } from './screens/issues-screen.js';
import { isTooSmall } from './state/layout.js';
import { type TerminalState, topScreen } from './state/terminal-state.js';
import type { RowReferences } from './terminal/row-references.js';
import type { Theme } from './theme.js';

export interface AppProps {
  browser: Browser;
  theme: Theme;
  references: RowReferences;
}

/** The whole terminal: the visible screen of the browser's state. */
export function App({ browser, theme, references }: AppProps): ReactElement {
  const state = useTerminalState(browser);
  const { size, nowMs } = state;
  return (
    <ViewContext.Provider value={{ size, nowMs, theme, references }}>
      <Box flexDirection="column">
        <VisibleScreen state={state} />
      </Box>
    </ViewContext.Provider>
  );
}

function VisibleScreen({ state }: { state: TerminalState }): ReactElement {
  if (isTooSmall(state.size)) return <TooSmall />;
  if (state.isHelpOpen) return <HelpScreen state={state} />;
  const screen = topScreen(state);
  switch (screen.kind) {
    case 'issues':
      return <IssuesScreen state={state} screen={screen} />;
    case 'events':
      return <EventsScreen state={state} screen={screen} />;
    case 'event':
      return <EventScreen state={state} screen={screen} />;
  }
}
