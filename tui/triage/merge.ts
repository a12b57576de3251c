import type { IssueSummary } from '../../generated/reader-answers.js';
import { openMenu } from '../overlays/menu.js';
import { type TerminalState, withNotice } from '../state/terminal-state.js';
import { fullCount } from '../text/counts.js';
import { applyAll } from './apply-actions.js';
import { describeIssues } from './describe-issues.js';

const MAX_MERGED = 500;

/** Asks whether the issues become one: the first of them stays. */
export function openMergeQuestion(state: TerminalState, targets: readonly IssueSummary[]): TerminalState {
  const [stays, ...others] = targets;
  if (stays === undefined || others.length === 0) {
    return withNotice(state, 'Mark the issues that are one with Space, then merge them.');
  }
  if (others.length > MAX_MERGED) return withNotice(state, `At most ${MAX_MERGED} issues are merged at once.`, 'error');
  const events = targets.reduce((sum, { count }) => sum + count, 0);
  return {
    ...state,
    overlay: {
      kind: 'question',
      text: [
        `Merge ${others.length === 1 ? describeIssues(others) : `${others.length} issues`} into ${describeIssues([stays])}?`,
        `They will be one issue of ${fullCount(events)} events, now and for all events that are still to come. M splits them again.`,
      ],
      yes: (now) => {
        const request = { action: 'merge' as const, issues: others.map(({ issue_id }) => issue_id) };
        return applyAll(now, [{ issueId: stays.issue_id, request }], () => `Merged ${targets.length} issues into one`);
      },
    },
  };
}

/** Asks which of the merged issues become issues of their own again. */
export function openSplitMenu(state: TerminalState, targets: readonly IssueSummary[]): TerminalState {
  const [issue] = targets.filter(({ merged }) => merged.length > 0);
  if (issue === undefined) return withNotice(state, 'Nothing was merged into this issue.');
  const wanted = (request: { action: 'split'; issues?: IssueSummary['merged'] }) => [
    { issueId: issue.issue_id, request },
  ];
  const one = issue.merged.map((id) => ({
    label: id,
    detail: 'becomes an issue of its own',
    run: (now: TerminalState) => applyAll(now, wanted({ action: 'split', issues: [id] }), () => 'Split off one issue'),
  }));
  const all = {
    key: 'a',
    label: 'all of them',
    detail: `${issue.merged.length} issues of their own again`,
    run: (now: TerminalState) =>
      applyAll(now, wanted({ action: 'split' }), () => `Split ${issue.merged.length + 1} issues from each other`),
  };
  return { ...state, overlay: openMenu(`Split ${describeIssues([issue])}`, [all, ...one]) };
}
