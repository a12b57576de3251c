import type { SourceState } from '../../../core/merged/source.js';
import { keyScopeOf } from '../../../tui/app/update.js';
import { mayAct } from '../../../tui/state/read-only.js';
import { initialState } from '../../../tui/state/terminal-state.js';
import { bindingsAt } from '../../../tui/terminal/keymap.js';
import { allowActions } from '../allow-actions.js';
import { type ArrayReader, createArrayReader, sampleIssue, sampleIssueId } from '../array-reader.js';
import {
  DOWN,
  ENTER,
  issuesOf,
  listed,
  menuOf,
  overlayRows,
  promptOf,
  settle,
  started,
  typeKeys,
} from '../type-keys.js';

const reading = (count: number): ArrayReader =>
  createArrayReader({ issues: Array.from({ length: count }, (_, number) => sampleIssue(number)) });
const stateOf = (reader: ArrayReader, number: number) =>
  reader.issues.find(({ issue_id }) => issue_id === sampleIssueId(number));

const NEXT_MONTH = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);

describe('resolving', () => {
  it('takes an issue out of the open ones, undo brings it back', async () => {
    const reader = allowActions(reading(3));
    const resolved = await settle(typeKeys(await started(reader), 'rr'), reader);
    expect(stateOf(reader, 2)).toMatchObject({ status: 'resolved', resolved_in: null });
    expect(resolved.notice).toMatchObject({ tone: 'good', text: expect.stringContaining('Resolved "Failure2') });
    expect(listed(resolved)).toEqual([1, 0]);
    expect(reader.histories.get(sampleIssueId(2))?.[0]?.actor).toBe('ada');
    const undone = await settle(typeKeys(resolved, 'u'), reader);
    expect(undone.notice?.text).toBe('Undone.');
    expect(listed(undone)).toEqual([2, 1, 0]);
    expect(typeKeys(undone, 'u').notice?.text).toMatch(/^Nothing to undo/);
  });

  it.each([
    ['rr', null],
    ['rR', 'next'],
    [`rv\t${ENTER}`, 'v1.4.2'],
    [`rvv9${ENTER}`, 'v9'],
  ])('by %j waits for %j', async (keys, release) => {
    const reader = allowActions(reading(1));
    await settle(typeKeys(await started(reader), keys), reader);
    expect(stateOf(reader, 0)).toMatchObject({ status: 'resolved', resolved_in: release });
  });

  it('of twenty, marked by a range, needs one confirmation and one undo', async () => {
    const reader = allowActions(reading(30));
    const marked = typeKeys(await started(reader), ` ${DOWN.repeat(18)}V`);
    expect(issuesOf(marked).marked.size).toBe(20);
    const asked = typeKeys(marked, 'r');
    expect(menuOf(asked).title).toBe('Resolve 20 issues');
    const done = await settle(typeKeys(asked, 'r'), reader);
    expect(listed(done)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    expect([done.notice?.text, issuesOf(done).marked.size]).toEqual(['Resolved 20 issues. u undoes.', 0]);
    expect(listed(await settle(typeKeys(done, 'u'), reader))).toHaveLength(30);
  });

  it('continues if one of them fails, shows the reason, keeps its mark, and undo affects only the others', async () => {
    const reader = allowActions(reading(39), new Set([sampleIssueId(20)]));
    const done = await settle(typeKeys(await started(reader), ' GVrr'), reader);
    expect(listed(done)).toEqual([20]);
    expect(done.notice).toEqual({
      text: `Resolved 38 of 39 issues; 1 failed: The disk is full at ${sampleIssueId(20)}. u undoes.`,
      tone: 'error',
    });
    expect([...issuesOf(done).marked]).toEqual([sampleIssueId(20)]);
    const undone = await settle(typeKeys(done, 'u'), reader);
    expect([listed(undone).length, undone.notice?.tone]).toEqual([39, 'good']);
  });

  it('shows the reason if all fail, and leaves nothing to undo', async () => {
    const reader = allowActions(reading(2), new Set([sampleIssueId(0), sampleIssueId(1)]));
    const alone = await settle(typeKeys(await started(reader), 'rr'), reader);
    expect(alone.notice).toMatchObject({ tone: 'error', text: expect.stringContaining('disk is full') });
    const both = await settle(typeKeys(alone, ' Vrr'), reader);
    expect(both.notice?.text).toMatch(/^Failed: The disk is full/);
    expect(both.undoStack).toEqual([]);
  });
});

describe('undo', () => {
  it('asks with the words of the action once ten seconds have passed', async () => {
    const reader = allowActions(reading(3));
    const resolved = await settle(typeKeys(await started(reader), 'rr'), reader);
    const asked = typeKeys({ ...resolved, nowMs: resolved.nowMs + 10_001 }, 'u');
    expect(asked.overlay).toMatchObject({ text: [expect.stringContaining('Undo: Resolved "Failure2')] });
    await settle(typeKeys(asked, 'y'), reader);
    expect(stateOf(reader, 2)?.status).toBe('open');
  });

  it('leaves issues for which it fails to the next undo', async () => {
    const failing = new Set<ReturnType<typeof sampleIssueId>>();
    const reader = allowActions(reading(3), failing);
    const done = await settle(typeKeys(await started(reader), ' GVrr'), reader);
    failing.add(sampleIssueId(1));
    const half = await settle(typeKeys(done, 'u'), reader);
    expect([half.notice?.tone, listed(half)]).toEqual(['error', [2, 0]]);
    failing.clear();
    expect(listed(await settle(typeKeys(half, 'u'), reader))).toEqual([2, 1, 0]);
  });

  it('in History reverts the selected entry, also of another person', async () => {
    const reader = allowActions(reading(2));
    await reader.act?.(sampleIssueId(1), { action: 'assign', assignee: 'bob', actor: 'eve' });
    await reader.act?.(sampleIssueId(1), { action: 'ignore', actor: 'eve' });
    const opened = await settle(
      typeKeys(await settle(typeKeys(await started(reader), '6'), reader), `g${ENTER}4`),
      reader,
    );
    const asked = typeKeys(opened, 'u');
    expect(asked.overlay).toMatchObject({ kind: 'question', text: ['Undo: eve ignored it until reopened?'] });
    expect(typeKeys(opened, 'ju').overlay).toMatchObject({ text: ['Undo: eve assigned it to bob?'] });
    await settle(typeKeys(asked, 'y'), reader);
    expect(stateOf(reader, 1)).toMatchObject({ status: 'open', assignee: 'bob' });
  });

  it('in History of an own action leaves nothing of it to undo elsewhere, and can bring it back', async () => {
    const reader = allowActions(reading(1));
    const opened = await settle(typeKeys(await started(reader), `${ENTER}4ab${ENTER}`), reader);
    const undone = await settle(typeKeys(opened, 'uy'), reader);
    expect([stateOf(reader, 0)?.assignee, undone.undoStack]).toEqual([null, []]);
    expect(typeKeys(undone, 'u').overlay).toMatchObject({ text: ['Bring back: ada assigned it to b?'] });
  });

  it('says so where there is nothing to undo', async () => {
    const reader = allowActions(reading(1));
    await reader.act?.(sampleIssueId(0), { action: 'assign', assignee: 'bob', actor: 'eve' });
    const state = typeKeys(await started(reader), 'u');
    expect(state).toMatchObject({ overlay: undefined, notice: { text: expect.stringMatching(/^Nothing to undo/) } });
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
    const done = await settle(typeKeys(reads, keys), reader);
    expect(stateOf(reader, 0)).toMatchObject({ status: 'ignored', snooze });
    expect(listed(done)).toEqual([]);
  });

  it('shows when a snooze will end, and rejects an invalid one', async () => {
    const reader = allowActions(reading(1));
    const asking = typeKeys(await started(reader), 'io');
    expect(promptOf(asking).spec.hint?.(asking, '3d')).toBe('ignored until 23 Nov 12:00 UTC');
    for (const bad of ['soon', '0x', 'until:2020-01-01', '99999999w']) {
      const refused = typeKeys(asking, `${bad}${ENTER}`);
      expect(promptOf(refused)).toMatchObject({ draft: bad, problem: { column: undefined } });
      expect(refused.pendingEffects).toEqual([]);
    }
  });
});

describe('assigning and commenting', () => {
  it('completes known names, and removes the assignee for an empty text', async () => {
    const reader = allowActions(
      createArrayReader({
        issues: [sampleIssue(0, { assignee: 'alice' }), sampleIssue(1, { assignee: 'bob' }), sampleIssue(2)],
      }),
    );
    const state = await started(reader);
    expect(promptOf(typeKeys(state, 'a\t')).draft).toBe('alice');
    expect(promptOf(typeKeys(state, 'a\t\t\t')).draft).toBe('alice');
    const done = await settle(typeKeys(state, `ab\t${ENTER}`), reader);
    expect(stateOf(reader, 2)?.assignee).toBe('bob');
    const taken = await settle(typeKeys(done, `a\u0015${ENTER}`), reader);
    expect([stateOf(reader, 2)?.assignee, taken.notice?.text]).toEqual([null, expect.stringMatching(/^Unassigned/)]);
  });

  it('rejects an empty comment, and saves the others', async () => {
    const reader = allowActions(reading(1));
    const state = await started(reader);
    expect(promptOf(typeKeys(state, `c  ${ENTER}`)).problem?.reason).toMatch(/Enter a comment/);
    await settle(typeKeys(state, `cseen (before) ${ENTER}`), reader);
    expect(reader.histories.get(sampleIssueId(0))?.[0]).toMatchObject({ action: 'comment', detail: 'seen (before)' });
  });
});

describe('assigning', () => {
  it('offers the user first', async () => {
    const reader = allowActions(createArrayReader({ issues: [sampleIssue(0, { assignee: 'alice' }), sampleIssue(1)] }));
    const state = await started(reader, { userName: 'ada' });
    expect(overlayRows(typeKeys(state, 'a'))).toEqual([
      expect.stringMatching(/^── Assign: Failure1: .* Esc cancels ──$/),
      ' assignee: █',
      '   Tab  ada (you)  alice     leave empty to unassign',
    ]);
    await settle(typeKeys(state, `a\t${ENTER}`), reader);
    expect(stateOf(reader, 1)?.assignee).toBe('ada');
    // An assignee that is there already hides nobody.
    expect(promptOf(typeKeys(state, 'ja\t')).draft).toBe('ada');
  });
});

describe('merging and splitting', () => {
  it('combines three marked issues into one, and split restores three', async () => {
    const reader = allowActions(reading(4));
    const asked = typeKeys(await started(reader), `   m`);
    expect(overlayRows(asked)).toEqual([
      expect.stringMatching(/^── Merge 3 issues ─+ Esc cancels ──$/),
      '   The selected issue stays and keeps its id. u undoes, M splits later.',
      expect.stringMatching(/^ › 00000000 {2}Failure3: .* 1 event $/),
      expect.stringMatching(/^ {3}00000000 {2}Failure2: .* 1 event $/),
      expect.stringMatching(/^ {3}00000000 {2}Failure1: .* 1 event $/),
      ' y merge into the selected one   ↑↓ choose another',
    ]);
    const merged = await settle(typeKeys(asked, 'y'), reader);
    expect(listed(merged)).toEqual([3, 0]);
    expect(issuesOf(merged).marked.size).toBe(0);
    expect(stateOf(reader, 3)).toMatchObject({ count: 3, merged: [sampleIssueId(2), sampleIssueId(1)] });
    expect(overlayRows(await settle(typeKeys(merged, 'gM'), reader))).toEqual([
      expect.stringMatching(/^── Split: Failure3: /),
      expect.stringMatching(/^ › a {2}all 2 {18}separate issues again .* 3 events $/),
      expect.stringMatching(/^ {3}1 {2}Member 0: 100 of them .* [0-9a-f]{8} {2}1 event $/),
      expect.stringMatching(/^ {3}2 {2}Member 1: 200 of them .* [0-9a-f]{8} {2}2 events $/),
    ]);
    expect(listed(await settle(typeKeys(merged, 'u'), reader))).toEqual([3, 2, 1, 0]);
  });

  it('keeps the issue that was chosen', async () => {
    const reader = allowActions(reading(4));
    const merged = await settle(typeKeys(await started(reader), `   m${DOWN}${ENTER}`), reader);
    expect(listed(merged)).toEqual([2, 0]);
    expect(stateOf(reader, 2)).toMatchObject({ merged: [sampleIssueId(3), sampleIssueId(1)] });
  });

  it('needs marks, or a merged issue', async () => {
    const reader = allowActions(reading(1));
    const state = await started(reader);
    expect(typeKeys(state, 'm').notice?.text).toMatch(/^Mark at least two issues/);
    expect(typeKeys(state, 'M').notice?.text).toMatch(/^This issue is not merged/);
    expect(typeKeys(state, 'mx').notice).toBeUndefined();
  });

  it('does nothing if it is not confirmed', async () => {
    const reader = allowActions(reading(3));
    const state = typeKeys(await started(reader), '  m');
    for (const key of ['q', '\u001b'])
      expect(typeKeys(state, key)).toMatchObject({ overlay: undefined, pendingEffects: [] });
  });
});

const WANTS_A_TOKEN = 'Read-only: this token may not change issues. Use one of actions_auth.';

const sourceAt = (address: string): SourceState => ({
  name: address,
  address,
  kind: 'connected',
  reason: undefined,
  sinceMs: undefined,
  stats: undefined,
  canAct: false,
});

describe('a read-only terminal', () => {
  it('has no action among the keys, the hints and the commands, and performs none', async () => {
    const reader = reading(3);
    const state = await started(reader);
    const commands = bindingsAt(state.keymap, keyScopeOf(state), mayAct(state)).map(({ command }) => command);
    expect(commands).not.toContain('resolve');
    expect(typeKeys(state, 'r')).toMatchObject({ overlay: undefined, pendingEffects: [], notice: { tone: 'info' } });
    expect(menuOf(typeKeys(state, ':')).items.map(({ label }) => label)).not.toContain('Resolve');
    expect(overlayRows(typeKeys(state, ':resolve in the')).slice(1)).toEqual([
      expect.stringContaining('no match'),
      ` ${WANTS_A_TOKEN}`,
    ]);
    expect(menuOf(typeKeys(await started(allowActions(reading(3))), ':')).items.map(({ label }) => label)).toContain(
      'Resolve',
    );
  });

  it.each([
    ['a collector', ['http://faultline.shop.example:4319'], WANTS_A_TOKEN],
    ['a folder', ['/data/shop'], 'Read-only: a folder. Start a collector on it to change issues.'],
    ['folders', ['/data/a', '/data/b'], 'Read-only: folders. Start collectors on them to change issues.'],
    ['both', ['/data/a', 'https://b.example'], 'Read-only: see Status (S).'],
  ])('shows the reason for every action key, by keys and by commands, over %s', async (_, addresses, why) => {
    const reader = reading(3);
    reader.sources = () => addresses.map(sourceAt);
    const state = await started(reader);
    for (const key of 'rioacmMu') expect(typeKeys(state, key).notice).toEqual({ text: why, tone: 'info' });
    expect(typeKeys(typeKeys(state, 'r'), 'z').notice).toBeUndefined();
    expect(overlayRows(typeKeys(state, ':')).at(-1)?.trim()).toEqual(why);
    const { overlay } = typeKeys(state, '?');
    const help = overlay?.kind === 'sheet' ? overlay.lines.map((line) => line.map(({ text }) => text).join('')) : [];
    expect(help.slice(-2).map((row) => row.trim())).toContainEqual(why);
    const rows = [...help, ...overlayRows(typeKeys(state, ':'))];
    expect(rows.filter(({ length }) => length > 80)).toEqual([]);
  });

  it('has room for a screen beside the commands in the smallest window', async () => {
    const state = await started(reading(3), { size: { columns: 60, rows: 10 } });
    const acting = await started(allowActions(reading(3)), { size: { columns: 60, rows: 10 } });
    expect(overlayRows(typeKeys(state, ':'))).toHaveLength(overlayRows(typeKeys(acting, ':')).length);
  });

  it('is the default before the access is known', async () => {
    const state = initialState({ size: { columns: 80, rows: 24 }, nowMs: 0 });
    expect(mayAct(state)).toBe(false);
    expect(typeKeys(state, 'r').notice?.text).toContain('until connected');
  });
});
