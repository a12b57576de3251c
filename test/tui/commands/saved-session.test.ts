import { currentPlace, resumeAt } from '../../../tui/commands/saved-session.js';
import type { RememberedListState } from '../../../tui/preferences/session-memory.js';
import { type ArrayReader, createArrayReader, sampleIssue, sampleIssueId } from '../array-reader.js';
import { DOWN, ENTER, issuesOf, settle, started, typeKeys } from '../type-keys.js';

const reading = (): ArrayReader => createArrayReader({ issues: [sampleIssue(1), sampleIssue(2), sampleIssue(3)] });

/** The saved list state after some keys; each group is pressed once the screen has loaded. */
async function placeAfter(reader: ArrayReader, ...keys: string[]): Promise<RememberedListState> {
  let state = await started(reader);
  for (const group of keys) state = await settle(typeKeys(state, group), reader);
  return currentPlace(state);
}

const resumed = (reader: ArrayReader, listState: RememberedListState | undefined) =>
  started(reader, { resume: resumeAt(listState) });

describe('the saved list state', () => {
  it('restores filter, tab, order and selection of the list', async () => {
    const reader = reading();
    const place = await placeAfter(reader, `/Failure${ENTER}`, '6', 'sc', DOWN);
    const state = await resumed(reader, place);
    expect(issuesOf(state).wanted).toEqual({ query: 'Failure', tab: 'all', sort: 'count' });
    expect(issuesOf(state).list.selectedId).toBe(place.selected_issue_id);
    expect(state.stack).toHaveLength(1);
  });

  it.each([
    [0, 'Restored: tab Review with a filter. Esc clears the filter.'],
    [2 * 3_600_000, 'Restored from 2h ago: tab Review with a filter. Esc clears the filter.'],
    [24 * 3_600_000, undefined],
  ])('is named in the last row until the first key, and forgotten after a day: %d ms', async (ageMs, text) => {
    const reader = reading();
    const place = await placeAfter(reader, `/Failure${ENTER}`, '2');
    const state = await resumed(reader, { ...place, saved_at_ms: (place.saved_at_ms ?? 0) - ageMs });
    expect(state.notice?.text).toBe(text);
    expect(issuesOf(state).wanted.tab).toBe(text === undefined ? 'open' : 'review');
  });

  it.each<[string, Partial<RememberedListState>]>([
    ['tab', { tab: 'starred' }],
    ['order', { sort: 'mood' }],
    ['query', { query: '(x' }],
  ])('is ignored if its %s is of another version', async (_name, change) => {
    const reader = reading();
    const place = { tab: 'all', query: '', sort: 'count', ...change };
    const state = await resumed(reader, place);
    expect([issuesOf(state).wanted.tab, state.stack.length]).toEqual(['open', 1]);
  });

  it('selects the first row if the selected id is unknown', async () => {
    const reader = reading();
    const place = { tab: 'all', query: '', sort: 'count' };
    const state = await resumed(reader, { ...place, selected_issue_id: 'x' });
    expect([issuesOf(state).wanted.tab, issuesOf(state).list.selectedId]).toEqual(['all', sampleIssueId(3)]);
    expect((await resumed(reader, undefined)).stack).toHaveLength(1);
  });
});
