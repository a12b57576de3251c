import type { IssueSummary } from '../../generated/reader-answers.js';
import { openMenu } from '../overlays/menu.js';
import { type TerminalState, telling } from '../state/terminal-state.js';
import { fullCount } from '../text/counts.js';
import { doAll } from './do-to-issues.js';
import { issuesInWords } from './issue-words.js';

const MAX_MERGED = 500;

/** Asks whether the issues become one: the first of them stays. */
export function askMerge(state: TerminalState, targets: readonly IssueSummary[]): TerminalState {
  const [stays, ...others] = targets;
  if (stays === undefined || others.length === 0) {
    return telling(state, 'Mark the issues that are one with Space, then merge them.');
  }
  if (others.length > MAX_MERGED) return telling(state, `At most ${MAX_MERGED} issues are merged at once.`, 'error');
  const events = targets.reduce((sum, { count }) => sum + count, 0);
  return {
    ...state,
    overlay: {
      kind: 'question',
      text: [
        `Merge ${others.length === 1 ? issuesInWords(others) : `${others.length} issues`} into ${issuesInWords([stays])}?`,
        `They will be one issue of ${fullCount(events)} events, now and for all events that are still to come. M splits them again.`,
      ],
      yes: (now) => {
        const request = { action: 'merge' as const, issues: others.map(({ issue_id }) => issue_id) };
        return doAll(now, [{ issueId: stays.issue_id, request }], () => `Merged ${targets.length} issues into one`);
      },
    },
  };
}

/** Asks which of the merged issues become issues of their own again. */
export function askSplit(state: TerminalState, targets: readonly IssueSummary[]): TerminalState {
  const [issue] = targets.filter(({ merged }) => merged.length > 0);
  if (issue === undefined) return telling(state, 'Nothing was merged into this issue.');
  const wanted = (request: { action: 'split'; issues?: IssueSummary['merged'] }) => [
    { issueId: issue.issue_id, request },
  ];
  const one = issue.merged.map((id) => ({
    label: id,
    detail: 'becomes an issue of its own',
    run: (now: TerminalState) => doAll(now, wanted({ action: 'split', issues: [id] }), () => 'Split off one issue'),
  }));
  const all = {
    key: 'a',
    label: 'all of them',
    detail: `${issue.merged.length} issues of their own again`,
    run: (now: TerminalState) =>
      doAll(now, wanted({ action: 'split' }), () => `Split ${issue.merged.length + 1} issues from each other`),
  };
  return { ...state, overlay: openMenu(`Split ${issuesInWords([issue])}`, [all, ...one]) };
}
