import type { IssueDetail, IssueSummary } from '../../generated/reader-answers.js';
import { textOf } from '../format/issue/fit-title.js';
import { fitTitles } from '../format/issue/issue-titles.js';
import { openMenu } from '../overlays/menu.js';
import { type TerminalState, withEffect, withNotice } from '../state/terminal-state.js';
import { countWithNoun } from '../text/counts.js';
import { applyAll, describeIssues, menuTitle } from './apply-actions.js';

const MAX_MERGED = 500;
const ID_LENGTH = 8;
/** Cursor, gaps and margin of a row, without its title and its count. */
const OTHER_CELLS = 3 + ID_LENGTH + 2 + 2 + 1;

/** Opens the menu of which issue stays when issues are merged. */
export function openMergeMenu(state: TerminalState, targets: readonly IssueSummary[]): TerminalState {
  if (targets.length < 2) return withNotice(state, 'Mark at least two issues with Space.');
  if (targets.length > MAX_MERGED + 1)
    return withNotice(state, `At most ${MAX_MERGED} issues can be merged at once.`, 'error');
  const counts = targets.map(({ count }) => countWithNoun(count, 'event'));
  const titles = titlesOf(targets, counts, state);
  const items = targets.map(({ issue_id: issueId }, index) => ({
    label: `${issueId.slice(0, ID_LENGTH)}  ${titles[index]}`,
    right: counts[index] ?? '',
    run: (now: TerminalState) => {
      const issues = targets.map(({ issue_id }) => issue_id).filter((id) => id !== issueId);
      return applyAll(
        now,
        [{ issueId, request: { action: 'merge', issues } }],
        () => `Merged ${targets.length} issues`,
      );
    },
  }));
  const menu = openMenu(`Merge ${describeIssues(targets)}`, items, {
    above: 'The selected issue stays and keeps its id. u undoes, M splits later.',
    confirm: 'merge into the selected one',
  });
  return { ...state, overlay: menu };
}

/** Reads the members of the first merged issue and opens the menu of which to split off. */
export function openSplitMenu(state: TerminalState, targets: readonly IssueSummary[]): TerminalState {
  const issue = targets.find(({ merged }) => merged.length > 0);
  if (issue === undefined) return withNotice(state, 'This issue is not merged.');
  return withEffect(state, {
    perform: async ({ reader }) => {
      const detail = await reader.getIssue(issue.issue_id);
      return (now) => (detail === undefined || now.overlay !== undefined ? now : withSplitMenu(now, detail));
    },
  });
}

function withSplitMenu(state: TerminalState, issue: IssueDetail): TerminalState {
  const { issue_id: issueId, members } = issue;
  const split = (issues: IssueSummary['merged'], label: string) => (now: TerminalState) =>
    applyAll(now, [{ issueId, request: { action: 'split', issues } }], () => label);
  const rights = members.map((one) => `${one.issue_id.slice(0, ID_LENGTH)}  ${countWithNoun(one.count, 'event')}`);
  const titles = titlesOf(members, rights, state);
  const all = {
    key: 'a',
    label: `all ${members.length}`,
    detail: 'separate issues again',
    right: countWithNoun(issue.count, 'event'),
    run: split(issue.merged, `Split into ${members.length + 1} issues`),
  };
  const one = members.map(({ issue_id }, index) => ({
    ...(index < 9 && { key: String(index + 1) }),
    label: titles[index] ?? '',
    right: rights[index] ?? '',
    run: split([issue_id], 'Split off 1 issue'),
  }));
  return { ...state, overlay: openMenu(menuTitle('Split', [issue], state), [all, ...one]) };
}

/** The titles of rows in the room that what stands at their right edge leaves. */
function titlesOf(
  issues: readonly IssueDetail['members'][number][],
  rights: readonly string[],
  { size }: TerminalState,
): readonly string[] {
  const cells = size.columns - OTHER_CELLS - Math.max(...rights.map(({ length }) => length));
  return fitTitles(issues, cells).map(textOf);
}
