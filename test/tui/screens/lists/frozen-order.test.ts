import fc from 'fast-check';
import type { TerminalState } from '../../../../tui/state/terminal-state.js';
import { allowActions } from '../../allow-actions.js';
import { type ArrayReader, createArrayReader, sampleIssue, sampleIssueId, sampleTime } from '../../array-reader.js';
import { DOWN, issuesOf, listed, settle, started, typeKeys as typeAt, UP } from '../../type-keys.js';

const reading = (count: number): ArrayReader =>
  createArrayReader({ issues: Array.from({ length: count }, (_, number) => sampleIssue(number)) });

const typeKeys = (state: TerminalState, keys: string): TerminalState =>
  typeAt({ ...state, keyAtMs: state.nowMs }, keys);

const later = (state: TerminalState, ms: number): TerminalState => ({ ...state, nowMs: state.nowMs + ms });

const withSeen = (reader: ArrayReader, number: number, seconds: number): void => {
  reader.issues = reader.issues.map((one) =>
    one.issue_id === sampleIssueId(number) ? { ...one, count: one.count + 1, last_seen: sampleTime(seconds) } : one,
  );
};

describe('the order below the first row', () => {
  it('stays while events and issues arrive, with counts that go on and what would move announced', async () => {
    const steps = fc.array(fc.record({ seen: fc.nat(150), isNew: fc.boolean() }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 90 }), fc.nat(20_000), async (happenings, row, ms) => {
        const reader = reading(150);
        let state = typeKeys(await settle(await started(reader), reader), DOWN.repeat(row));
        const before = listed(state);
        const { selectedId, top } = issuesOf(state).list;
        for (const [step, { seen, isNew }] of happenings.entries()) {
          if (isNew) reader.issues = [...reader.issues, sampleIssue(1_000 + step)];
          else withSeen(reader, seen, 500 + step);
          state = later(state, ms);
          if (step % 7 === 0) state = await settle(state, reader);
        }
        state = await settle(state, reader);
        expect(listed(state).slice(0, before.length)).toEqual(before);
        expect(issuesOf(state).list).toMatchObject({ selectedId, top });
        const shown = issuesOf(state).list.rows.slice(top, top + 19);
        for (const issue of shown) expect(reader.issues).toContainEqual(issue);
      }),
    );
  });

  it('counts what is new and what moved, until g takes over the new order', async () => {
    const reader = reading(10);
    const state = typeKeys(await started(reader), DOWN.repeat(3));
    withSeen(reader, 2, 50);
    withSeen(reader, 1, 60);
    reader.issues = [...reader.issues, sampleIssue(77)];
    const waiting = await settle(later(state, 10_000), reader);
    expect(issuesOf(waiting).waiting).toEqual({ added: 1, moved: 2 });
    expect(listed(waiting)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    const followed = await settle(typeKeys(waiting, 'g'), reader);
    expect(listed(followed)).toEqual([77, 1, 2, 9, 8, 7, 6, 5, 4, 3, 0]);
    expect(issuesOf(followed)).toMatchObject({ waiting: { added: 0, moved: 0 }, list: { top: 0 } });
    expect(issuesOf(followed).list.selectedId).toBe(sampleIssueId(77));
  });

  it('keeps issues that no longer match, except those that the user changed', async () => {
    const reader = allowActions(reading(150));
    const state = typeKeys(await settle(await started(reader), reader), DOWN.repeat(2));
    reader.issues = reader.issues.map((one, number) => (number === 146 ? { ...one, status: 'resolved' } : one));
    const left = await settle(state, reader);
    expect([...issuesOf(left).gone]).toEqual([sampleIssueId(146)]);
    expect(listed(left)).toContain(146);
    const resolved = await settle(await settle(typeKeys(left, 'rr'), reader), reader);
    expect(listed(resolved).slice(0, 4)).toEqual([149, 148, 146, 145]);
    expect(issuesOf(resolved).list.selectedId).toBe(sampleIssueId(146));
    const undone = await settle(await settle(typeKeys(resolved, 'u'), reader), reader);
    expect(listed(undone).slice(0, 4)).toEqual([149, 148, 147, 146]);
  });
});

describe('the order on the first row', () => {
  it('follows two seconds after the last key, and never for a screen reader', async () => {
    const reader = reading(5);
    const touched = typeKeys(await started(reader), `${DOWN}${UP}`);
    withSeen(reader, 1, 90);
    expect(listed(await settle(later(touched, 1_999), reader))).toEqual([4, 3, 2, 1, 0]);
    const live = await settle(later(touched, 2_000), reader);
    expect(listed(live)).toEqual([1, 4, 3, 2, 0]);
    expect(issuesOf(live).list.selectedId).toBe(sampleIssueId(1));
    const habits = { ...touched.habits, isForScreenReader: true };
    expect(listed(await settle(later({ ...touched, habits }, 9_000), reader))).toEqual([4, 3, 2, 1, 0]);
  });

  it('lets a key within 300 ms act on the issue that was selected before', async () => {
    const reader = reading(5);
    const state = await started(reader);
    withSeen(reader, 1, 90);
    const live = await settle(state, reader);
    expect(issuesOf(typeKeys(later(live, 299), ' ')).marked).toEqual(new Set([sampleIssueId(4)]));
    expect(issuesOf(typeKeys(later(live, 300), ' ')).marked).toEqual(new Set([sampleIssueId(1)]));
  });
});
