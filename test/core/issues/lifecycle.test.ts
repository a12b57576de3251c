import { foldLifecycle, type IssueAction, issueHistory } from '../../../core/issues/lifecycle.js';

let nextId = 0;
function action(name: string, atMicros: number, changes: Partial<IssueAction> = {}): IssueAction {
  nextId += 1;
  return { id: `action-${nextId}`, action: name, atMicros, actor: 'ada', detail: null, ...changes };
}

const OPEN = { status: 'open', regressed: false };
const REGRESSED = { status: 'open', regressed: true };
const RESOLVED = { status: 'resolved', regressed: false };
const IGNORED = { status: 'ignored', regressed: false };

describe('the lifecycle of an issue', () => {
  it('begins open', () => {
    expect(foldLifecycle([], 100)).toEqual(OPEN);
  });

  it('is resolved until an event arrives later', () => {
    expect(foldLifecycle([action('resolve', 100)], 99)).toEqual(RESOLVED);
    expect(foldLifecycle([action('resolve', 100)], 100)).toEqual(RESOLVED);
    expect(foldLifecycle([action('resolve', 100)], 101)).toEqual(REGRESSED);
  });

  it('is resolved again after a regression', () => {
    expect(foldLifecycle([action('resolve', 100), action('resolve', 200)], 150)).toEqual(RESOLVED);
    expect(foldLifecycle([action('resolve', 100), action('resolve', 200)], 250)).toEqual(REGRESSED);
  });

  it('is no regression once somebody reopened it', () => {
    expect(foldLifecycle([action('resolve', 100), action('reopen', 200)], 150)).toEqual(OPEN);
  });

  it('stays ignored whatever arrives', () => {
    expect(foldLifecycle([action('resolve', 100), action('ignore', 200)], 300)).toEqual(IGNORED);
  });

  it('is not changed by actions that nobody knows', () => {
    expect(foldLifecycle([action('resolve', 100), action('comment', 200), action('dance', 300)], 50)).toEqual(RESOLVED);
  });

  it('takes an undone action out exactly', () => {
    const ignore = action('ignore', 100);
    const resolve = action('resolve', 200);
    expect(foldLifecycle([ignore, resolve, action('undo', 300, { detail: resolve.id })], 50)).toEqual(IGNORED);
    expect(foldLifecycle([ignore, resolve, action('undo', 300, { detail: ignore.id })], 50)).toEqual(RESOLVED);
    expect(foldLifecycle([resolve, action('undo', 300, { detail: resolve.id })], 250)).toEqual(OPEN);
  });

  it('puts an action back when its undo is undone', () => {
    const resolve = action('resolve', 100);
    const undo = action('undo', 200, { detail: resolve.id });
    const redo = action('undo', 300, { detail: undo.id });
    expect(foldLifecycle([resolve, undo, redo], 50)).toEqual(RESOLVED);
    expect(foldLifecycle([resolve, undo, redo, action('undo', 400, { detail: redo.id })], 50)).toEqual(OPEN);
  });

  it('passes over an undo of something later, of itself or of nothing', () => {
    const resolve = action('resolve', 200, { id: 'later' });
    expect(foldLifecycle([action('undo', 100, { detail: 'later' }), resolve], 50)).toEqual(RESOLVED);
    expect(foldLifecycle([resolve, action('undo', 300, { id: 'self', detail: 'self' })], 50)).toEqual(RESOLVED);
    expect(foldLifecycle([resolve, action('undo', 300, { detail: 'nothing' })], 50)).toEqual(RESOLVED);
    expect(foldLifecycle([resolve, action('undo', 300)], 50)).toEqual(RESOLVED);
  });
});

describe('the history of an issue', () => {
  it('keeps every action, undone ones too, oldest first', () => {
    const resolve = action('resolve', 1_780_000_000_123_456, { id: 'r' });
    const comment = action('comment', 1_780_000_001_000_000, { actor: null, detail: 'looks better' });
    expect(issueHistory([resolve, comment])).toEqual([
      { at: '2026-05-28T20:26:40.123456000+00:00', action: 'resolve', actor: 'ada', detail: null },
      { at: '2026-05-28T20:26:41.000000000+00:00', action: 'comment', actor: null, detail: 'looks better' },
    ]);
  });
});
