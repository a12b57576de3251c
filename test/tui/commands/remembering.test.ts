import { placeOfState, resumedAt } from '../../../tui/commands/remembering.js';
import type { RememberedPlace } from '../../../tui/preferences/session-memory.js';
import { type ArrayReader, createArrayReader, sampleIssue, sampleIssueId } from '../array-reader.js';
import { DOWN, ENTER, issuesOf, live, started, type } from '../pressing.js';

const reading = (): ArrayReader => createArrayReader({ issues: [sampleIssue(1), sampleIssue(2), sampleIssue(3)] });

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

  it.each<[string, Partial<RememberedPlace>]>([
    ['tab', { tab: 'starred' }],
    ['order', { sort: 'mood' }],
    ['query', { query: '(x' }],
  ])('is the beginning where it is of another version by its %s', async (_name, change) => {
    const reader = reading();
    const place = { tab: 'all', query: '', sort: 'count', isGrouped: true, ...change };
    const state = await resumed(reader, place);
    expect([issuesOf(state).wanted.tab, state.stack.length]).toEqual(['open', 1]);
  });

  it('is the beginning of the list where the selected id is none', async () => {
    const reader = reading();
    const place = { tab: 'all', query: '', sort: 'count', isGrouped: false };
    const state = await resumed(reader, { ...place, selectedIssueId: 'x' });
    expect([issuesOf(state).wanted.tab, issuesOf(state).list.selectedId]).toEqual(['all', sampleIssueId(3)]);
    expect((await resumed(reader, undefined)).stack).toHaveLength(1);
  });
});
