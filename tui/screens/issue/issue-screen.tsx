import type { ReactElement } from 'react';
import { Lines } from '../../components/lines.js';
import { Message } from '../../components/message.js';
import { TitleBar } from '../../components/title-bar.js';
import type { IssueScreen } from '../../state/issue-state.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { words } from '../../text/line.js';
import { headerLines } from './header-lines.js';
import { issueLayout } from './issue-layout.js';
import { emptyWords, paneBody } from './pane-body.js';

/** One issue: its header above, one of its panes below. */
export function IssueScreenView({ state, screen }: { state: TerminalState; screen: IssueScreen }): ReactElement {
  const layout = issueLayout(state, screen);
  const header = headerLines(state, screen, layout);
  const body = paneBody(state, screen, layout);
  return (
    <>
      <TitleBar
        path="Issues › Issue"
        facts={screen.list.isBehind ? [{ text: words('newer events above: g', 'warning'), rank: 0 }] : []}
        state={state}
      />
      {header.length > 0 && <Lines lines={header} />}
      {body === undefined ? (
        <Message text={emptyWords(screen)} rows={layout.paneRows} />
      ) : (
        <Lines lines={body} rows={layout.paneRows} />
      )}
    </>
  );
}
