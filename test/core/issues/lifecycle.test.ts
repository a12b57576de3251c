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
  it('begins open and assigned to nobody', () => {
    expect(fold([], 100)).toEqual({
      ...OPEN,
      assignee: null,
      snooze: null,
      resolvedIn: null,
      resolvedAtMicros: null,
      decidedBy: null,
    });
  });

  it('is resolved until an event is received later', () => {
    const resolve = action('resolve', 100);
    expect(fold([resolve], 99)).toMatchObject({ ...RESOLVED, resolvedAtMicros: 100, decidedBy: resolve.id });
    expect(fold([resolve], 100)).toMatchObject(RESOLVED);
    expect(fold([resolve], 101)).toMatchObject({ ...REGRESSED, resolvedAtMicros: null });
  });

  it('is resolved again after a regression', () => {
    expect(fold([action('resolve', 100), action('resolve', 200)], 150)).toMatchObject(RESOLVED);
    expect(fold([action('resolve', 100), action('resolve', 200)], 250)).toMatchObject(REGRESSED);
  });

  it('is no regression once somebody reopened it', () => {
    expect(fold([action('resolve', 100), action('reopen', 200)], 150)).toMatchObject(OPEN);
  });

  it('stays ignored whatever arrives where nothing ends the snooze', () => {
    expect(fold([action('resolve', 100), action('ignore', 200)], 300)).toMatchObject({ ...IGNORED, snooze: null });
  });

  it('is not changed by actions that nobody knows', () => {
    expect(fold([action('resolve', 100), action('comment', 200), action('dance', 300)], 50)).toMatchObject(RESOLVED);
  });

  it('belongs to whom it was assigned last, whatever its status', () => {
    const assign = (assignee: string | null) => action('assign', 100, { assignee });
    expect(fold([assign('ada'), action('resolve', 200), assign('bob')], 50)).toMatchObject({ assignee: 'bob' });
    expect(fold([assign('ada'), assign(null)], 50)).toMatchObject({ assignee: null });
  });
});

describe('a resolution that waits for the next release', () => {
  const resolve = action('resolve', 100, { in_next_release: true, known_releases: ['v1.9.0', 'v1.10.0'] });

  it('is not undone by events of releases that were known, whenever they come', () => {
    expect(fold([resolve], receipts(200, { 'v1.9.0': 200, 'v1.10.0': 150 }))).toMatchObject({
      ...RESOLVED,
      resolvedIn: 'next',
    });
  });

  it('is not undone by an older release that shows up for the first time', () => {
    expect(fold([resolve], receipts(200, { 'v1.2.0': 200 }))).toMatchObject(RESOLVED);
  });

  it('regresses with a later release, and not where that was received before', () => {
    expect(fold([resolve], receipts(200, { 'v1.11.0': 200 }))).toMatchObject(REGRESSED);
    expect(fold([resolve], receipts(200, { 'v1.11.0': 99, 'v1.9.0': 200 }))).toMatchObject(RESOLVED);
  });

  it('goes by first sight where a release is no version', () => {
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

  it('goes by name and first sight where a release is no version', () => {
    const resolve = action('resolve', 100, { in_release: 'green', known_releases: ['blue', 'green'] });
    expect(fold([resolve], receipts(200, { blue: 200 }))).toMatchObject(RESOLVED);
    expect(fold([resolve], receipts(200, { green: 200 }))).toMatchObject(REGRESSED);
    expect(fold([resolve], receipts(200, { red: 200 }))).toMatchObject(REGRESSED);
  });
});

describe('a snooze', () => {
  it('ends by the clock', () => {
    const ignore = action('ignore', 100, { until: '2026-11-21T10:00:00Z' });
    expect(fold([ignore], 50, NOW_MS - 1)).toMatchObject({ ...IGNORED, snooze: 'until:2026-11-21T10:00:00Z' });
    expect(fold([ignore], 50, NOW_MS)).toMatchObject({ ...OPEN, snooze: null });
  });

  it('ends when so many more events came', () => {
    const ignore = action('ignore', 100, { count: 100, count_at: 7 });
    expect(fold([ignore], receipts(200, {}, 106))).toMatchObject({ ...IGNORED, snooze: '100x' });
    expect(fold([ignore], receipts(200, {}, 107))).toMatchObject(OPEN);
  });

  it('ends by rate through the consequence that is written down', () => {
    const ignore = action('ignore', 100, { count: 100, per_ms: 3_600_000 });
    expect(fold([ignore], receipts(200, {}, 1e6))).toMatchObject({ ...IGNORED, snooze: '100x/1h' });
    const reopen = action('reopen', 200, { cause: ignore.id });
    expect(fold([ignore, reopen], 150)).toMatchObject(OPEN);
  });

  it('has no consequence any more once something else was decided', () => {
    const ignore = action('ignore', 100, { count: 100, per_ms: 3_600_000 });
    const late = action('reopen', 300, { cause: ignore.id });
    expect(fold([ignore, action('resolve', 200), late], 150)).toMatchObject(RESOLVED);
  });

  it('lasts for ever where its data are of no form', () => {
    for (const data of [{ until: 'soon' }, { count: '100', count_at: 0 }, { count: -1, count_at: 0 }, { count: 5 }]) {
      expect(fold([action('ignore', 100, data)], receipts(200, {}, 1e6))).toMatchObject(IGNORED);
    }
  });
});
