import { keyScopeOf } from '../../../tui/app/update.js';
import type { SourceState } from '../../../tui/readers/source.js';
import { mayAct } from '../../../tui/state/read-only.js';
import { initialState } from '../../../tui/state/terminal-state.js';
import { bindingsAt } from '../../../tui/terminal/keymap.js';
import { allowActions } from '../allow-actions.js';
import { type ArrayReader, createArrayReader, sampleIssue, sampleIssueId } from '../array-reader.js';
import { DOWN, ENTER, issuesOf, listed, live, menuOf, overlayRows, promptOf, started, type } from '../pressing.js';

const reading = (count: number): ArrayReader =>
  createArrayReader({ issues: Array.from({ length: count }, (_, number) => sampleIssue(number)) });
const stateOf = (reader: ArrayReader, number: number) =>
  reader.issues.find(({ issue_id }) => issue_id === sampleIssueId(number));

const NEXT_MONTH = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);

describe('resolving', () => {
  it('takes an issue out of the open ones, undo brings it back, redo takes it out again', async () => {
    const reader = allowActions(reading(3));
    const resolved = await live(type(await started(reader), 'rr'), reader);
    expect(stateOf(reader, 2)).toMatchObject({ status: 'resolved', resolved_in: null });
    expect(resolved.notice).toMatchObject({ tone: 'good', text: expect.stringContaining('Resolved "Failure2') });
    expect(listed(resolved)).toEqual([1, 0]);
    expect(reader.histories.get(sampleIssueId(2))?.[0]?.actor).toBe('ada');
    const asked = type(resolved, 'u');
    expect(asked.overlay).toMatchObject({
      kind: 'question',
      text: [expect.stringContaining('Undo: Resolved "Failure2')],
    });
    expect(stateOf(reader, 2)?.status).toBe('resolved');
    const undone = await live(type(asked, 'y'), reader);
    expect(listed(undone)).toEqual([2, 1, 0]);
    const redone = await live(type(undone, 'U'), reader);
    expect([listed(redone), stateOf(reader, 2)?.status]).toEqual([[1, 0], 'resolved']);
    expect(listed(await live(type(redone, 'uy'), reader))).toEqual([2, 1, 0]);
  });

  it.each([
    ['rr', null],
    ['rR', 'next'],
    [`R${ENTER}`, 'next'],
    [`rv\t${ENTER}`, 'v1.4.2'],
    [`rvv9${ENTER}`, 'v9'],
  ])('by %j waits for %j', async (keys, release) => {
    const reader = allowActions(reading(1));
    await live(type(await started(reader), keys), reader);
    expect(stateOf(reader, 0)).toMatchObject({ status: 'resolved', resolved_in: release });
  });

  it('of twenty, marked by a range, is asked once and undone at once', async () => {
    const reader = allowActions(reading(30));
    const marked = type(await started(reader), ` ${DOWN.repeat(18)}V`);
    expect(issuesOf(marked).marked.size).toBe(20);
    const asked = type(marked, 'r');
    expect(menuOf(asked).title).toBe('Resolve 20 issues');
    const done = await live(type(asked, 'r'), reader);
    expect(listed(done)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    expect([done.notice?.text, issuesOf(done).marked.size]).toEqual(['Resolved 20 issues. u undoes.', 0]);
    expect(listed(await live(type(done, 'uy'), reader))).toHaveLength(30);
  });

  it('goes on where one of them fails, says why, keeps its mark, and undoes the others only', async () => {
    const reader = allowActions(reading(39), new Set([sampleIssueId(20)]));
    const done = await live(type(await started(reader), ' GVrr'), reader);
    expect(listed(done)).toEqual([20]);
    expect(done.notice).toEqual({
      text: `Resolved 38 issues, 1 failed: The disk is full at ${sampleIssueId(20)}.`,
      tone: 'error',
    });
    expect([...issuesOf(done).marked]).toEqual([sampleIssueId(20)]);
    const undone = await live(type(done, 'uy'), reader);
    expect([listed(undone).length, undone.notice?.tone]).toEqual([39, 'good']);
  });

  it('that fails for all says why, and leaves nothing to undo', async () => {
    const reader = allowActions(reading(2), new Set([sampleIssueId(0), sampleIssueId(1)]));
    const alone = await live(type(await started(reader), 'rr'), reader);
    expect(alone.notice).toMatchObject({ tone: 'error', text: expect.stringContaining('disk is full') });
    const both = await live(type(alone, ' Vrr'), reader);
    expect(both.notice?.text).toMatch(/^Failed: The disk is full/);
    expect(both.undoStack.done).toEqual([]);
  });
});

describe('undo', () => {
  it('of a part that failed leaves that part to be undone', async () => {
    const failing = new Set<ReturnType<typeof sampleIssueId>>();
    const reader = allowActions(reading(3), failing);
    const done = await live(type(await started(reader), ' GVrr'), reader);
    failing.add(sampleIssueId(1));
    const half = await live(type(done, 'uy'), reader);
    expect([half.notice?.tone, listed(half)]).toEqual(['error', [2, 0]]);
    failing.clear();
    expect(listed(await live(type(half, 'uy'), reader))).toEqual([2, 1, 0]);
  });

  it('asks for the latest action of the issue where nothing was done here, and redo brings it back', async () => {
    const reader = allowActions(reading(2));
    await reader.act?.(sampleIssueId(1), { action: 'assign', assignee: 'bob', actor: 'eve' });
    await reader.act?.(sampleIssueId(1), { action: 'ignore', actor: 'eve' });
    const asked = await live(type(await live(type(await started(reader), '6'), reader), 'gu'), reader);
    expect(asked.overlay).toMatchObject({
      kind: 'question',
      text: [expect.stringMatching(/^Undo what eve did 1h ago \(ignore\)\?$/)],
    });
    const undone = await live(type(asked, 'y'), reader);
    expect(stateOf(reader, 1)).toMatchObject({ status: 'open', assignee: 'bob' });
    await live(type(undone, 'U'), reader);
    expect(stateOf(reader, 1)?.status).toBe('ignored');
  });

  it('says so where there is nothing to undo or to do again', async () => {
    const reader = allowActions(reading(1));
    const state = await started(reader);
    expect((await live(type(state, 'u'), reader)).notice?.text).toMatch(/^Nothing to undo/);
    expect(type(state, 'U').notice?.text).toMatch(/^Nothing to redo/);
  });

  it('does not ask over what is being typed meanwhile', async () => {
    const reader = allowActions(reading(1));
    await reader.act?.(sampleIssueId(0), { action: 'assign', assignee: 'bob' });
    const typing = await live(type(await started(reader), 'u/y'), reader);
    expect(promptOf(typing).draft).toBe('y');
    const looking = await live(type(await started(reader), 'S/x'), reader);
    expect(promptOf(looking).draft).toBe('x');
  });
});

describe('ignoring', () => {
  it.each([
    ['ii', null],
    ['ih', '1h'],
    ['id', '1d'],
    ['iw', '7d'],
    ['ic', '100x'],
    ['ir', '100x/1h'],
    [`io20x/10m${ENTER}`, '20x/10m'],
    [`io2w${ENTER}`, '2w'],
    [`iountil:${NEXT_MONTH}${ENTER}`, `until:${NEXT_MONTH}`],
  ])('by %j ends by %j', async (keys, snooze) => {
    const reader = allowActions(reading(1));
    const reads = await started(reader, { nowMs: Date.now() });
    const done = await live(type(reads, keys), reader);
    expect(stateOf(reader, 0)).toMatchObject({ status: 'ignored', snooze });
    expect(listed(done)).toEqual([]);
  });

  it('shows when a snooze will end, and refuses an invalid one', async () => {
    const reader = allowActions(reading(1));
    const asking = type(await started(reader), 'io');
    expect(promptOf(asking).spec.hint?.(asking, '3d')).toBe('ignored until 2026-11-23 12:00:00 UTC');
    for (const bad of ['soon', '0x', 'until:2020-01-01', '99999999w']) {
      const refused = type(asking, `${bad}${ENTER}`);
      expect(promptOf(refused)).toMatchObject({ draft: bad, problem: { column: undefined } });
      expect(refused.pendingEffects).toEqual([]);
    }
  });
});

describe('assigning and commenting', () => {
  it('completes names that are known, and takes the assignment back by nothing', async () => {
    const reader = allowActions(
      createArrayReader({
        issues: [sampleIssue(0, { assignee: 'alice' }), sampleIssue(1, { assignee: 'bob' }), sampleIssue(2)],
      }),
    );
    const state = await started(reader);
    expect(promptOf(type(state, 'a\t')).draft).toBe('alice');
    expect(promptOf(type(state, 'a\t\t\t')).draft).toBe('alice');
    const done = await live(type(state, `ab\t${ENTER}`), reader);
    expect(stateOf(reader, 2)?.assignee).toBe('bob');
    const taken = await live(type(done, `a\u0015${ENTER}`), reader);
    expect([stateOf(reader, 2)?.assignee, taken.notice?.text]).toEqual([null, expect.stringMatching(/^Unassigned/)]);
  });

  it('refuses an empty comment, and keeps the others', async () => {
    const reader = allowActions(reading(1));
    const state = await started(reader);
    expect(promptOf(type(state, `c  ${ENTER}`)).problem?.reason).toMatch(/Enter a comment/);
    await live(type(state, `cseen (before) ${ENTER}`), reader);
    expect(reader.histories.get(sampleIssueId(0))?.[0]).toMatchObject({ action: 'comment', detail: 'seen (before)' });
  });
});

describe('merging and splitting', () => {
  it('makes one of three that are marked, split makes three again', async () => {
    const reader = allowActions(reading(4));
    const asked = type(await started(reader), `   m`);
    expect(asked.overlay).toMatchObject({
      text: [expect.stringMatching(/^Merge 2 issues into "Failure3/), /3 events/],
    });
    const merged = await live(type(asked, 'y'), reader);
    expect(listed(merged)).toEqual([3, 0]);
    expect(issuesOf(merged).marked.size).toBe(0);
    expect(stateOf(reader, 3)).toMatchObject({ count: 3, merged: [sampleIssueId(2), sampleIssueId(1)] });
    expect(menuOf(type(merged, 'gM')).items).toHaveLength(3);
    expect(listed(await live(type(merged, 'uy'), reader))).toEqual([3, 2, 1, 0]);
  });

  it('asks for marks, and for something that was merged', async () => {
    const reader = allowActions(reading(1));
    const state = await started(reader);
    expect(type(state, 'm').notice?.text).toMatch(/^Mark at least two issues/);
    expect(type(state, 'M').notice?.text).toMatch(/^This issue is not merged/);
    expect(type(state, 'mx').notice).toBeUndefined();
  });

  it('does nothing where the answer is no', async () => {
    const reader = allowActions(reading(3));
    const state = type(await started(reader), '  m');
    for (const key of ['n', 'q', ' ', '\u001b'])
      expect(type(state, key)).toMatchObject({ overlay: undefined, pendingEffects: [] });
  });
});

const WANTS_A_TOKEN = 'Read-only: this token may not change issues. Use one of actions_auth.';

const sourceAt = (address: string): SourceState => ({
  name: address,
  address,
  kind: 'connected',
  reason: undefined,
  sinceMs: undefined,
  events: undefined,
  issues: undefined,
  canAct: false,
});

describe('those who only read', () => {
  it('see no action among the keys, the hints and the commands, and do none', async () => {
    const reader = reading(3);
    const state = await started(reader);
    const commands = bindingsAt(state.keymap, keyScopeOf(state), mayAct(state)).map(({ command }) => command);
    expect(commands).not.toContain('resolve');
    expect(type(state, 'r')).toMatchObject({ overlay: undefined, pendingEffects: [], notice: { tone: 'info' } });
    expect(menuOf(type(state, ':')).items.map(({ label }) => label)).not.toContain('Resolve');
    expect(overlayRows(type(state, ':resolve in the')).slice(1)).toEqual([
      expect.stringContaining('no match'),
      ` ${WANTS_A_TOKEN}`,
    ]);
    expect(menuOf(type(await started(allowActions(reading(3))), ':')).items.map(({ label }) => label)).toContain(
      'Resolve',
    );
  });

  it.each([
    ['a collector', ['http://faultline.shop.example:4319'], WANTS_A_TOKEN],
    ['a folder', ['/data/shop'], 'Read-only: a folder. Start a collector on it to change issues.'],
    ['folders', ['/data/a', '/data/b'], 'Read-only: folders. Start collectors on them to change issues.'],
    ['both', ['/data/a', 'https://b.example'], 'Read-only: see Status (S).'],
  ])('are told why by every action key, by the keys and by the commands, over %s', async (_, addresses, why) => {
    const reader = reading(3);
    reader.sources = () => addresses.map(sourceAt);
    const state = await started(reader);
    for (const key of 'riRoacmMuU') expect(type(state, key).notice).toEqual({ text: why, tone: 'info' });
    expect(type(type(state, 'r'), 'z').notice).toBeUndefined();
    expect(overlayRows(type(state, ':')).at(-1)?.trim()).toEqual(why);
    const { overlay } = type(state, '?');
    const help = overlay?.kind === 'sheet' ? overlay.lines.map((line) => line.map(({ text }) => text).join('')) : [];
    expect(help.slice(0, 5).map((row) => row.trim())).toContainEqual(why);
    for (const row of [...help, ...overlayRows(type(state, ':'))]) expect(row.length).toBeLessThanOrEqual(80);
  });

  it('have room for a screen beside the commands in the smallest window', async () => {
    const state = await started(reading(3), { size: { columns: 60, rows: 10 } });
    const acting = await started(allowActions(reading(3)), { size: { columns: 60, rows: 10 } });
    expect(overlayRows(type(state, ':'))).toHaveLength(overlayRows(type(acting, ':')).length);
  });

  it('are all, before it is known what one may do', async () => {
    const state = initialState({ size: { columns: 80, rows: 24 }, nowMs: 0 });
    expect(mayAct(state)).toBe(false);
    expect(type(state, 'r').notice?.text).toContain('until connected');
  });
});
