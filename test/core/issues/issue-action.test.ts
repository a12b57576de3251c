import fc from 'fast-check';
import type { JsonObject } from '../../../core/event/json.js';
import { type IssueAction, undoneActions } from '../../../core/issues/issue-action.js';
import { type FollowIssue, foldGroups } from '../../../core/issues/issue-groups.js';
import { issueHistory } from '../../../core/issues/issue-history.js';
import { foldLifecycle } from '../../../core/issues/lifecycle.js';
import { action, issueNumber, receipts } from './sample-actions.js';

const ISSUES = [0, 1, 2, 3, 4].map(issueNumber);
const STAY: FollowIssue = (issueId) => [issueId];

/** The state of all issues after a log. */
function stateOf(log: readonly IssueAction[], at: number) {
  const undone = undoneActions(log);
  const effective = log.filter(({ id }) => !undone.has(id));
  const groups = foldGroups(effective, STAY);
  return ISSUES.map((issueId) => {
    const members = groups.membersOf(issueId) ?? [issueId];
    const actions = effective.filter((one) => members.includes(one.issueId));
    const given = receipts(at, { 'v1.0.0': at / 2, 'v1.1.0': at, blue: at - 1 }, at);
    return { members, life: foldLifecycle(actions, given, at) };
  });
}

const issues = fc.subarray([...ISSUES], { minLength: 1 });
const name = fc.constantFrom('v1.0.0', 'v1.1.0', 'blue');
const DATA: fc.Arbitrary<{ action: string; data: JsonObject }> = fc.oneof(
  fc
    .constantFrom<JsonObject>({}, { in_next_release: true, known_releases: ['v1.0.0'] })
    .map((data) => ({ action: 'resolve', data })),
  name.map((release) => ({ action: 'resolve', data: { in_release: release, known_releases: ['blue'] } })),
  fc.constantFrom<{ action: string; data: JsonObject }>(
    { action: 'reopen', data: {} },
    { action: 'ignore', data: {} },
    { action: 'ignore', data: { count: 10, count_at: 5 } },
    { action: 'ignore', data: { count: 10, per_ms: 60_000 } },
    { action: 'ignore', data: { until: '1970-01-01T00:00:00.020Z' } },
    { action: 'assign', data: { assignee: 'ada' } },
    { action: 'assign', data: { assignee: null } },
    { action: 'comment', data: { text: 'why' } },
    { action: 'dance', data: {} },
  ),
  issues.map((ids) => ({ action: 'merge', data: { issues: [...ids] } })),
  issues.map((ids) => ({ action: 'split', data: { issues: [...ids] } })),
  fc.nat(40).map((number) => ({ action: 'undo', data: { undoes: `a${number}` } })),
  fc.nat(40).map((number) => ({ action: 'reopen', data: { cause: `a${number}` } })),
);

/** Action n of a log has the id `an`, so that an `undo` can name any action, including later ones. */
const LOG = fc
  .array(fc.tuple(DATA, fc.constantFrom(...ISSUES)), { maxLength: 40 })
  .map((drawn) =>
    drawn.map(([{ action: kind, data }, issueId], n) => action(kind, n + 1, data, { id: `a${n}`, issueId })),
  );

describe('an undo', () => {
  it('restores exactly the state of a replay without the action', () => {
    fc.assert(
      fc.property(LOG, fc.nat(39), fc.nat(50), (log, index, at) => {
        const target = log[index % Math.max(1, log.length)];
        if (target === undefined) return;
        const undo = action('undo', log.length + 1, { undoes: target.id }, { id: 'last', issueId: target.issueId });
        const without = log.filter((one) => one !== target);
        expect(stateOf([...log, undo], at)).toEqual(stateOf(without, at));
      }),
    );
  });

  it('is reverted exactly by another undo', () => {
    fc.assert(
      fc.property(LOG, fc.nat(39), fc.nat(50), (log, index, at) => {
        const undo = action('undo', 100, { undoes: `a${index}` }, { id: 'undo' });
        const redo = action('undo', 101, { undoes: 'undo' }, { id: 'redo' });
        expect(stateOf([...log, undo, redo], at)).toEqual(stateOf(log, at));
      }),
    );
  });

  it('also removes the consequences of an action, and restores them', () => {
    const ignore = action('ignore', 100);
    const reopen = action('reopen', 200, { cause: ignore.id });
    const undo = action('undo', 300, { undoes: ignore.id });
    const redo = action('undo', 400, { undoes: undo.id });
    expect([...undoneActions([ignore, reopen, undo])].sort()).toEqual([ignore.id, reopen.id].sort());
    expect([...undoneActions([ignore, reopen, undo, redo])]).toEqual([undo.id]);
  });

  it('has no effect if it names a later action, itself or an unknown one', () => {
    const resolve = action('resolve', 200, {}, { id: 'later' });
    expect(undoneActions([action('undo', 100, { undoes: 'later' }), resolve]).size).toBe(0);
    expect(undoneActions([resolve, action('undo', 300, { undoes: 'self' }, { id: 'self' })]).size).toBe(0);
    expect(undoneActions([resolve, action('undo', 300, { undoes: 7 })]).size).toBe(0);
  });
});

describe('the history of an issue', () => {
  it('keeps every action, undone ones too, oldest first', () => {
    const at = 1_780_000_000_123_456;
    const resolve = action('resolve', at, { in_next_release: true, reason: 'fixed' }, { id: 'r' });
    const ignore = action('ignore', at, { count: 100, per_ms: 3_600_000 }, { id: 'i' });
    const merge = action('merge', at, { issues: [issueNumber(1), issueNumber(2)] }, { id: 'm' });
    const comment = action('comment', 1_780_000_001_000_000, { text: 'looks better' }, { id: 'c', actor: null });
    const entry = { issue_id: issueNumber(0), at: '2026-05-28T20:26:40.123456000+00:00', actor: 'ada', reason: null };
    expect(issueHistory([resolve, ignore, merge, comment], (id) => id === 'r')).toEqual([
      { ...entry, id: 'r', action: 'resolve', detail: 'next', reason: 'fixed', undone: true },
      { ...entry, id: 'i', action: 'ignore', detail: '100x/1h', undone: false },
      { ...entry, id: 'm', action: 'merge', detail: `${issueNumber(1)}, ${issueNumber(2)}`, undone: false },
      {
        ...entry,
        id: 'c',
        at: '2026-05-28T20:26:41.000000000+00:00',
        action: 'comment',
        actor: null,
        detail: 'looks better',
        undone: false,
      },
    ]);
  });
});
