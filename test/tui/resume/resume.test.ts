import type { RememberedPlace } from '../../../tui/preferences/session-memory.js';
import { placeOfState } from '../../../tui/resume/place-of-state.js';
import { resumedAt } from '../../../tui/resume/resumed-at.js';
import { initialState, topScreen } from '../../../tui/state/terminal-state.js';
import {
  type ArrayReader,
  createArrayReader,
  sampleEvent,
  sampleEventId,
  sampleIssue,
  sampleIssueId,
} from '../array-reader.js';
import { DOWN, ENTER, issuesOf, live, started, type } from '../pressing.js';

const reading = (): ArrayReader =>
  createArrayReader({
    issues: [sampleIssue(1), sampleIssue(2), sampleIssue(3)],
    events: [sampleEvent(2, 1), sampleEvent(2, 2)],
  });

/** Where one is after keys, each group of them once the screen has what it lacks. */
async function placeAfter(reader: ArrayReader, ...keys: string[]): Promise<RememberedPlace> {
  let state = await started(reader);
  for (const group of keys) state = await live(type(state, group), reader);
  return placeOfState(state);
}

const resumed = (reader: ArrayReader, place: RememberedPlace | undefined) =>
  started(reader, { resume: resumedAt(place) });

describe('the place where one left', () => {
  it('is found again in the list: filter, tab, order and selection', async () => {
    const reader = reading();
    const place = await placeAfter(reader, `/Failure${ENTER}`, '6', 'sc', DOWN);
    const state = await resumed(reader, place);
    expect(issuesOf(state).wanted).toEqual({ query: 'Failure', tab: 'all', sort: 'count', isGrouped: false });
    expect(issuesOf(state).list.selectedId).toBe(place.selectedIssueId);
    expect(state.stack).toHaveLength(1);
  });

  it('is found again at an event, with its issue below it', async () => {
    const reader = reading();
    const place = await placeAfter(reader, DOWN, ENTER, `${DOWN}${ENTER}`);
    expect(place).toMatchObject({ openIssueId: sampleIssueId(2), openEventId: sampleEventId(1) });
    const state = await resumed(reader, place);
    expect(topScreen(state)).toMatchObject({ kind: 'event', eventId: sampleEventId(1) });
    expect(topScreen(type(state, '\u001b'))).toMatchObject({ kind: 'issue', issue: { issue_id: sampleIssueId(2) } });
    expect(issuesOf(state).list.selectedId).toBe(sampleIssueId(2));
  });

  it('is the list where the issue is gone', async () => {
    const reader = reading();
    const place = await placeAfter(reader, DOWN, ENTER);
    reader.issues = reader.issues.filter(({ issue_id }) => issue_id !== sampleIssueId(2));
    const state = await resumed(reader, place);
    expect([state.stack.length, issuesOf(state).list.selectedId]).toEqual([1, sampleIssueId(3)]);
  });

  it('is the issue, and an event that is gone, where only the event is', async () => {
    const reader = reading();
    const place = await placeAfter(reader, DOWN, ENTER, ENTER);
    reader.events = [];
    const state = await live(await resumed(reader, place), reader);
    expect(topScreen(state)).toMatchObject({ kind: 'event', isGone: true });
  });

  it.each<[string, Partial<RememberedPlace>]>([
    ['tab', { tab: 'starred' }],
    ['order', { sort: 'mood' }],
    ['query', { query: '(x' }],
  ])('is the beginning where it is of another version by its %s', async (_name, change) => {
    const reader = reading();
    const place = { tab: 'all', query: '', sort: 'count', isGrouped: true, openIssueId: sampleIssueId(2), ...change };
    const state = await resumed(reader, place);
    expect([issuesOf(state).wanted.tab, state.stack.length]).toEqual(['open', 1]);
  });

  it('is the list where ids are none', async () => {
    const reader = reading();
    const place = { tab: 'all', query: '', sort: 'count', isGrouped: false };
    const state = await resumed(reader, { ...place, selectedIssueId: 'x', openIssueId: '../x', openEventId: '' });
    expect([issuesOf(state).wanted.tab, state.stack.length, issuesOf(state).list.selectedId]).toEqual([
      'all',
      1,
      sampleIssueId(3),
    ]);
    expect((await resumed(reader, undefined)).stack).toHaveLength(1);
  });

  it('does not take away what somebody typed before it was found', async () => {
    const reader = reading();
    const place = await placeAfter(reader, DOWN, ENTER);
    const begun = initialState({ size: { columns: 80, rows: 24 }, nowMs: 0, resume: resumedAt(place) });
    expect(await live(type(begun, '/x'), reader)).toMatchObject({
      overlay: { kind: 'prompt', draft: 'x' },
      stack: { length: 1 },
    });
  });
});
