import type { IssueAction } from '../../../core/issues/issue-action.js';
import { foldLifecycle, type IssueReceipts } from '../../../core/issues/lifecycle.js';
import { action, receipts } from './sample-actions.js';

const NOW_MS = Date.parse('2026-11-21T10:00:00Z');

function fold(actions: readonly IssueAction[], given: IssueReceipts | number, nowMs = NOW_MS) {
  return foldLifecycle(actions, typeof given === 'number' ? receipts(given) : given, nowMs);
}

const OPEN = { status: 'open', regressed: false };
const REGRESSED = { status: 'open', regressed: true };
const RESOLVED = { status: 'resolved', regressed: false };
const IGNORED = { status: 'ignored', regressed: false };

describe('the lifecycle of an issue', () => {
  it('begins open and unassigned', () => {
    expect(fold([], 100)).toEqual({
      ...OPEN,
      regressedIn: null,
      assignee: null,
      snooze: null,
      resolvedIn: null,
      snoozeLeft: null,
      decidedBy: null,
    });
  });

  it('is resolved until an event is received later', () => {
    const resolve = action('resolve', 100);
    expect(fold([resolve], 99)).toMatchObject({ ...RESOLVED, decidedBy: resolve });
    expect(fold([resolve], 100)).toMatchObject(RESOLVED);
    expect(fold([resolve], 101)).toMatchObject({ ...REGRESSED, decidedBy: resolve });
  });

  it('is resolved again after a regression', () => {
    expect(fold([action('resolve', 100), action('resolve', 200)], 150)).toMatchObject(RESOLVED);
    expect(fold([action('resolve', 100), action('resolve', 200)], 250)).toMatchObject(REGRESSED);
  });

  it('does not regress after the issue was reopened', () => {
    expect(fold([action('resolve', 100), action('reopen', 200)], 150)).toMatchObject(OPEN);
  });

  it('stays ignored for any events if nothing ends the snooze', () => {
    expect(fold([action('resolve', 100), action('ignore', 200)], 300)).toMatchObject({ ...IGNORED, snooze: null });
  });

  it('is not changed by unknown actions', () => {
    expect(fold([action('resolve', 100), action('comment', 200), action('dance', 300)], 50)).toMatchObject(RESOLVED);
  });

  it('has the last assignee in every status', () => {
    const assign = (assignee: string | null) => action('assign', 100, { assignee });
    expect(fold([assign('ada'), action('resolve', 200), assign('bob')], 50)).toMatchObject({ assignee: 'bob' });
    expect(fold([assign('ada'), assign(null)], 50)).toMatchObject({ assignee: null });
  });
});

describe('a resolution that waits for the next release', () => {
  const resolve = action('resolve', 100, { in_next_release: true, known_releases: ['v1.9.0', 'v1.10.0'] });

  it('is not undone by later events of known releases', () => {
    expect(fold([resolve], receipts(200, { 'v1.9.0': 200, 'v1.10.0': 150 }))).toMatchObject({
      ...RESOLVED,
      resolvedIn: 'next',
    });
  });

  it('is not undone by the first event of an older release', () => {
    expect(fold([resolve], receipts(200, { 'v1.2.0': 200 }))).toMatchObject(RESOLVED);
  });

  it('regresses with a later release that was not received before', () => {
    expect(fold([resolve], receipts(200, { 'v1.11.0': 200 }))).toMatchObject(REGRESSED);
    expect(fold([resolve], receipts(200, { 'v1.11.0': 99, 'v1.9.0': 200 }))).toMatchObject(RESOLVED);
  });

  it('compares releases by first receipt if one is not a version', () => {
    const named = action('resolve', 100, { in_next_release: true, known_releases: ['blue', 'v1.0.0'] });
    expect(fold([named], receipts(200, { blue: 200 }))).toMatchObject(RESOLVED);
    expect(fold([named], receipts(200, { 'v0.1.0': 200 }))).toMatchObject(REGRESSED);
  });

  it('is never undone by events without a release', () => {
    expect(fold([resolve], receipts(200))).toMatchObject(RESOLVED);
  });
});

describe('a resolution in a named release', () => {
  it('regresses with that release and later ones only', () => {
    const resolve = action('resolve', 100, { in_release: 'v1.5.0', known_releases: ['v1.4.0'] });
    expect(fold([resolve], receipts(200, { 'v1.4.9': 200 }))).toMatchObject({ ...RESOLVED, resolvedIn: 'v1.5.0' });
    expect(fold([resolve], receipts(200, { '1.5.0': 200 }))).toMatchObject(REGRESSED);
    expect(fold([resolve], receipts(200, { 'v1.6.0-rc.1': 200 }))).toMatchObject(REGRESSED);
    expect(fold([resolve], receipts(200, { 'v1.5.0-rc.1': 200 }))).toMatchObject(RESOLVED);
  });

  it('compares releases by name and first receipt if one is not a version', () => {
    const resolve = action('resolve', 100, { in_release: 'green', known_releases: ['blue', 'green'] });
    expect(fold([resolve], receipts(200, { blue: 200 }))).toMatchObject(RESOLVED);
    expect(fold([resolve], receipts(200, { green: 200 }))).toMatchObject(REGRESSED);
    expect(fold([resolve], receipts(200, { red: 200 }))).toMatchObject(REGRESSED);
  });
});

describe('a snooze', () => {
  it('ends at its time', () => {
    const ignore = action('ignore', 100, { until: '2026-11-21T10:00:00Z' });
    expect(fold([ignore], 50, NOW_MS - 1)).toMatchObject({ ...IGNORED, snooze: 'until:2026-11-21T10:00:00Z' });
    expect(fold([ignore], 50, NOW_MS)).toMatchObject({ ...OPEN, snooze: null });
  });

  it('ends after its number of further events', () => {
    const ignore = action('ignore', 100, { count: 100, count_at: 7 });
    expect(fold([ignore], receipts(200, {}, 106))).toMatchObject({ ...IGNORED, snooze: '100x' });
    expect(fold([ignore], receipts(200, {}, 107))).toMatchObject(OPEN);
  });

  it('ends by rate through a stored consequence', () => {
    const ignore = action('ignore', 100, { count: 100, per_ms: 3_600_000 });
    expect(fold([ignore], receipts(200, {}, 1e6))).toMatchObject({ ...IGNORED, snooze: '100x/1h' });
    const reopen = action('reopen', 200, { cause: ignore.id });
    expect(fold([ignore, reopen], 150)).toMatchObject(OPEN);
  });

  it('ignores its consequence after a later action', () => {
    const ignore = action('ignore', 100, { count: 100, per_ms: 3_600_000 });
    const late = action('reopen', 300, { cause: ignore.id });
    expect(fold([ignore, action('resolve', 200), late], 150)).toMatchObject(RESOLVED);
  });

  it('never ends if its data are malformed', () => {
    for (const data of [{ until: 'soon' }, { count: '100', count_at: 0 }, { count: -1, count_at: 0 }, { count: 5 }]) {
      expect(fold([action('ignore', 100, data)], receipts(200, {}, 1e6))).toMatchObject(IGNORED);
    }
  });
});
