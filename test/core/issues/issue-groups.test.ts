import type { IssueAction } from '../../../core/issues/issue-action.js';
import { type FollowIssue, foldGroups, followActions } from '../../../core/issues/issue-groups.js';
import { action, issueNumber } from './sample-actions.js';

const STAY: FollowIssue = (issueId) => [issueId];

let atMicros = 0;
function on(name: 'merge' | 'split', stays: number, others: readonly number[]): IssueAction {
  atMicros += 1;
  return action(name, atMicros, { issues: others.map(issueNumber) }, { issueId: issueNumber(stays) });
}

/** Groups as lists of numbers, the target first. */
function groupsOf(actions: readonly IssueAction[], follow = STAY): number[][] {
  const groups = foldGroups(actions, follow);
  const numberOf = (id: string): number => Number.parseInt(id.slice(-12), 16);
  return groups.shown.map((id) => (groups.membersOf(id) ?? []).map(numberOf));
}

describe('merging', () => {
  it('shows the others under the issue that stays, in order of their merging', () => {
    expect(groupsOf([on('merge', 1, [3]), on('merge', 1, [2])])).toEqual([[1, 3, 2]]);
  });

  it('maps every member to the group, and no other issue', () => {
    const groups = foldGroups([on('merge', 1, [2])], STAY);
    expect(groups.shownAs(issueNumber(2))).toBe(issueNumber(1));
    expect(groups.membersOf(issueNumber(2))).toEqual([issueNumber(1), issueNumber(2)]);
    expect(groups.shownAs(issueNumber(3))).toBe(issueNumber(3));
    expect(groups.membersOf(issueNumber(3))).toBeUndefined();
  });

  it('includes members of a merged issue, and the group that holds a named one', () => {
    expect(groupsOf([on('merge', 2, [3]), on('merge', 1, [2])])).toEqual([[1, 2, 3]]);
    expect(groupsOf([on('merge', 2, [3]), on('merge', 1, [3])])).toEqual([[1, 2, 3]]);
    expect(groupsOf([on('merge', 1, [2]), on('merge', 2, [3])])).toEqual([[1, 2, 3]]);
  });

  it('never makes a cycle', () => {
    expect(groupsOf([on('merge', 1, [2]), on('merge', 2, [1]), on('merge', 1, [1])])).toEqual([[1, 2]]);
  });

  it('follows a chain of ten thousand issues', () => {
    const row = Array.from({ length: 10_000 }, (_, n) => on('merge', n + 2, [n + 1]));
    expect(groupsOf(row)).toEqual([Array.from({ length: 10_001 }, (_, n) => 10_001 - n)]);
  });
});

describe('splitting', () => {
  it('removes exactly the named members', () => {
    expect(groupsOf([on('merge', 1, [2, 3, 4]), on('split', 1, [3])])).toEqual([[1, 2, 4]]);
    expect(groupsOf([on('merge', 1, [2, 3]), on('split', 1, [2, 3])])).toEqual([]);
  });

  it('restores a merged group', () => {
    expect(groupsOf([on('merge', 2, [3]), on('merge', 1, [2]), on('split', 1, [2])])).toEqual([[2, 3]]);
  });

  it('makes each named issue separate, also those that were merged into another of them', () => {
    expect(groupsOf([on('merge', 2, [3]), on('merge', 1, [2]), on('split', 1, [2, 3])])).toEqual([]);
  });

  it('does not change the target or issues of other groups', () => {
    expect(groupsOf([on('merge', 1, [2]), on('split', 1, [1, 3]), on('split', 3, [2])])).toEqual([[1, 2]]);
  });
});

describe('regrouped events', () => {
  const follows = new Map([
    [issueNumber(1), [issueNumber(11), issueNumber(12)]],
    [issueNumber(2), [issueNumber(12)]],
  ]);

  it('keep their earlier actions in every issue that now holds them', () => {
    const follow = followActions([{ fromMicros: 0, beforeMicros: 100, follows }]);
    expect(follow(issueNumber(1), 99)).toEqual([issueNumber(11), issueNumber(12)]);
    expect(follow(issueNumber(1), 100)).toEqual([issueNumber(1)]);
    expect(follow(issueNumber(3), 50)).toEqual([issueNumber(3)]);
  });

  it('are followed through several regroupings', () => {
    const second = new Map([[issueNumber(12), [issueNumber(21), issueNumber(11)]]]);
    const follow = followActions([
      { fromMicros: 0, beforeMicros: 100, follows },
      { fromMicros: 0, beforeMicros: 200, follows: second },
    ]);
    expect(follow(issueNumber(1), 50)).toEqual([issueNumber(11), issueNumber(21)]);
    expect(follow(issueNumber(12), 150)).toEqual([issueNumber(21), issueNumber(11)]);
  });

  it('move back only the actions in between when a regrouping is rolled back', () => {
    const back = new Map([[issueNumber(11), [issueNumber(1)]]]);
    const follow = followActions([{ fromMicros: 100, beforeMicros: 200, follows: back }]);
    expect(follow(issueNumber(1), 50)).toEqual([issueNumber(1)]);
    expect(follow(issueNumber(11), 150)).toEqual([issueNumber(1)]);
    expect(follow(issueNumber(11), 250)).toEqual([issueNumber(11)]);
  });

  it('stay merged', () => {
    const merge = action('merge', 50, { issues: [issueNumber(3)] }, { issueId: issueNumber(1) });
    const follow = followActions([{ fromMicros: 0, beforeMicros: 100, follows }]);
    expect(groupsOf([merge], follow)).toEqual([[11, 12, 3]]);
  });
});
