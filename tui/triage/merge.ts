import type { IssueSummary } from '../../generated/reader-answers.js';
import { openMenu } from '../overlays/menu.js';
import { type TerminalState, withNotice } from '../state/terminal-state.js';
import { fullCount } from '../text/counts.js';
import { applyAll, describeIssues } from './apply-actions.js';

const MAX_MERGED = 500;

/** Asks whether to merge issues into the first of them. */
export function openMergeQuestion(state: TerminalState, targets: readonly IssueSummary[]): TerminalState {
  const [stays, ...others] = targets;
  if (stays === undefined || others.length === 0) {
    return withNotice(state, 'Mark at least two issues with Space.');
  }
  if (others.length > MAX_MERGED)
    return withNotice(state, `At most ${MAX_MERGED} issues can be merged at once.`, 'error');
  const events = targets.reduce((sum, { count }) => sum + count, 0);
  return {
    ...state,
    overlay: {
      kind: 'question',
      text: [
        `Merge ${others.length === 1 ? describeIssues(others) : `${others.length} issues`} into ${describeIssues([stays])}?`,
        `One issue of ${fullCount(events)} events; new events are merged too. M splits it later.`,
      ],
      yes: (now) => {
        const request = { action: 'merge' as const, issues: others.map(({ issue_id }) => issue_id) };
        return applyAll(now, [{ issueId: stays.issue_id, request }], () => `Merged ${targets.length} issues`);
      },
    },
  };
}

/** Opens the menu of merged issues to split off. */
export function openSplitMenu(state: TerminalState, targets: readonly IssueSummary[]): TerminalState {
  const [issue] = targets.filter(({ merged }) => merged.length > 0);
  if (issue === undefined) return withNotice(state, 'This issue is not merged.');
  const wanted = (request: { action: 'split'; issues?: IssueSummary['merged'] }) => [
    { issueId: issue.issue_id, request },
  ];
  const one = issue.merged.map((id) => ({
    label: id,
    detail: 'becomes a separate issue',
    run: (now: TerminalState) => applyAll(now, wanted({ action: 'split', issues: [id] }), () => 'Split off 1 issue'),
  }));
  const all = {
    key: 'a',
    label: `all ${issue.merged.length}`,
    detail: 'separate issues again',
    run: (now: TerminalState) =>
      applyAll(now, wanted({ action: 'split' }), () => `Split into ${issue.merged.length + 1} issues`),
  };
  return { ...state, overlay: openMenu(`Split ${describeIssues([issue])}`, [all, ...one]) };
}
