import type { ActionRequest, IssueSummary } from '../../generated/reader-answers.js';
import { asking, type TerminalState, telling } from '../state/terminal-state.js';
import { afterDeed } from '../state/undo-stack.js';
import { DONE_TITLE_CELLS, issuesInWords } from './issue-words.js';
import { showIssues } from './show-issues.js';
import { takeActions, type WantedAction } from './take-actions.js';

/** The state that asks for the same action on each of some issues. `verb` is in the past: `Resolved`. */
export function doToEach(
  state: TerminalState,
  targets: readonly IssueSummary[],
  request: ActionRequest,
  verb: string,
): TerminalState {
  const wanted = targets.map(({ issue_id: issueId }) => ({ issueId, request }));
  return doAll(state, wanted, (done) => `${verb} ${issuesInWords(done, DONE_TITLE_CELLS)}`);
}

/** The state that asks for actions, which one `undo` takes back together. `wordsOf` says what was done to the issues that it was done to. */
export function doAll(
  state: TerminalState,
  wanted: readonly WantedAction[],
  wordsOf: (done: readonly IssueSummary[]) => string,
): TerminalState {
  if (wanted.length === 0) return state;
  return asking(state, {
    perform: async (outside) => {
      const { issues, parts, failure } = await takeActions(outside, wanted);
      return (now) => {
        const shown = showIssues(now, issues, failure?.issueIds);
        if (issues.length === 0) return telling(shown, `Nothing was done: ${failure?.reason ?? ''}`, 'error');
        const words = wordsOf(issues);
        const done = parts.length === 0 ? shown : { ...shown, deeds: afterDeed(shown.deeds, { words, parts }) };
        if (failure === undefined) return telling(done, `${words}. u undoes it.`, 'good');
        return telling(done, `${words}, ${failure.issueIds.length} failed: ${failure.reason}`, 'error');
      };
    },
  });
}
