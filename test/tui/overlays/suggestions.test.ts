import { Fault } from '../../../core/event/fault.js';
import type { TerminalState } from '../../../tui/state/terminal-state.js';
import { allowActions } from '../allow-actions.js';
import { type ArrayReader, createArrayReader, sampleIssue, sampleIssueId, sampleSuggestion } from '../array-reader.js';
import { ENTER, ESCAPE, menuOf, overlayRows, settle, started, typeKeys } from '../type-keys.js';

const OPEN = `:sugg${ENTER}`;

function suggesting(): ArrayReader {
  const reader = createArrayReader({ issues: [1, 2, 3].map((number) => sampleIssue(number)) });
  reader.suggested = {
    suggestions: [sampleSuggestion(1, { issue_ids: [1, 2].map(sampleIssueId) }), sampleSuggestion(2)],
    decided: [],
  };
  return reader;
}

function sheetText({ overlay }: TerminalState): string {
  if (overlay?.kind !== 'sheet') throw new Error(`no sheet but ${overlay?.kind}`);
  return overlay.lines.map((line) => line.map(({ text }) => text).join('')).join('\n');
}

/** Types keys and performs their effects. */
async function press(state: TerminalState, keys: string, reader: ArrayReader): Promise<TerminalState> {
  return await settle(typeKeys(state, keys), reader);
}

describe('the suggestions', () => {
  it('are listed, and Enter opens the values, the rule and the issues of one; Escape returns to the list', async () => {
    const reader = allowActions(suggesting());
    const listed = await press(await started(reader), OPEN, reader);
    expect(overlayRows(listed)[1]).toContain('14 issues look like one: the word after `currency` varies.');
    expect(sheetText(await press(listed, ENTER, reader))).toMatch(
      /USD, CHF, EUR, GBP, zloty and 9 more[\s\S]*\n {2}grouping:\n {4}rules:[\s\S]*Failure2: /,
    );
    const back = typeKeys(await press(listed, `j${ENTER}`, reader), ESCAPE);
    expect(menuOf(back).selected).toBe(1);
  });

  it('are accepted, dismissed and undone after a question, with the name of the user', async () => {
    const reader = allowActions(suggesting());
    const start = await started(reader);
    const open = async (keys = ''): Promise<TerminalState> =>
      await press(await press(start, OPEN, reader), `${keys}${ENTER}`, reader);
    const asked = typeKeys(await open(), 'a');
    expect(overlayRows(asked).join(' ')).toMatch(/14 issues .* u in\s+Suggestions undoes it/);
    await press(asked, 'n', reader);
    expect(reader.suggested.decided).toEqual([]);
    expect(await press(asked, 'y', reader)).toMatchObject({ notice: { tone: 'good' } });
    expect(reader.suggested.decided).toMatchObject([{ id: '0000000000000001', state: 'accepted', by: 'ada' }]);
    await press(await open(), 'dy', reader);
    expect(reader.suggested.decided).toMatchObject([{ id: '0000000000000002', state: 'dismissed' }, {}]);
    await press(await open('j'), 'uy', reader);
    expect(reader.suggested.decided.map(({ state }) => state)).toEqual(['dismissed', 'dismissed']);
    await press(await open(), 'uy', reader);
    await press(await open('j'), 'uy', reader);
    expect(reader.suggested).toMatchObject({ suggestions: [{}, {}], decided: [] });
  });

  it('cannot be decided about by a reader that may not act', async () => {
    const reader = suggesting();
    const opened = await press(await press(await started(reader), OPEN, reader), ENTER, reader);
    expect(opened.overlay).toMatchObject({ kind: 'sheet', actions: [] });
    expect(typeKeys(opened, 'a').overlay).toMatchObject({ kind: 'menu' });
  });

  it('show why they cannot be read, or a decision was refused', async () => {
    const reader = allowActions(suggesting());
    const start = await started(reader);
    const opened = await press(await press(start, OPEN, reader), ENTER, reader);
    reader.suggested = { suggestions: [], decided: [] };
    const refused = await press(opened, 'ay', reader);
    expect(refused.notice).toMatchObject({ tone: 'error', text: expect.stringContaining('does not exist') });
    expect((await press(start, OPEN, reader)).notice?.text).toMatch(/^No suggestions/);
    reader.suggestions = () => Promise.reject(new Fault('COLLECTOR_UNREACHABLE', 'No collector responds.'));
    expect((await press(start, OPEN, reader)).notice).toMatchObject({ tone: 'error', text: 'No collector responds.' });
  });
});
