import { createHttpReader } from '../../../core/http-reader/http-reader.js';
import type { SourcesReader } from '../../../core/merged/source.js';
import { createSingleReader } from '../../../tui/readers/open-sources.js';
import type { TerminalState } from '../../../tui/state/terminal-state.js';
import { post } from '../../collector/post.js';
import { type RunningService, settingsFor, startService } from '../../collector/running-service.js';
import { kindOfFailure } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { DOWN, ENTER, issuesOf, menuOf, promptOf, settle, started, typeKeys } from '../type-keys.js';

const KINDS = 25;
let running: RunningService;
let reader: SourcesReader;

beforeAll(async () => {
  running = await startService(settingsFor(await temporaryFolder()));
  const url = running.apiUrl.replace('/api/v1', '');
  reader = createSingleReader({ name: 'here', address: url }, createHttpReader({ url }));
  for (let kind = 1; kind <= KINDS; kind += 1) await post(running.eventsUrl, JSON.stringify(kindOfFailure(kind)));
});
afterAll(async () => {
  await reader.close();
  await running.service.shutdown();
  await removeTemporaryFolders();
});

const rowsOf = (state: TerminalState) => issuesOf(state).list.rows;
const count = (state: TerminalState) => rowsOf(state).length;

describe('triage over a collector', () => {
  it('performs everything that the keys offer, and undoes it', async () => {
    const press = async (state: TerminalState, keys: string) => await settle(typeKeys(state, keys), reader);
    const start = await started(reader, { nowMs: Date.now() });
    expect([count(start), start.access]).toEqual([KINDS, { actions: true }]);
    const first = rowsOf(start)[0]?.issue_id;

    const resolved = await press(start, 'rr');
    expect([resolved.notice?.tone, count(resolved)]).toEqual(['good', KINDS - 1]);
    const undone = await press(resolved, 'u');
    expect([undone.notice?.tone, count(undone)]).toEqual(['good', KINDS]);
    expect(rowsOf(undone).some(({ issue_id }) => issue_id === first)).toBe(true);

    let state = await press(undone, 'g');
    for (const keys of ['ii', 'ih', 'ic', 'ir', `io2w${ENTER}`]) {
      state = await press(state, keys);
      expect([keys, state.notice?.tone, count(state)]).toEqual([keys, 'good', KINDS - 1]);
      state = await press(state, 'u');
      expect([keys, state.notice?.tone, count(state)]).toEqual([keys, 'good', KINDS]);
    }
    expect(promptOf(typeKeys(state, `iosoon${ENTER}`)).problem?.reason).toContain('is not a snooze');

    state = await press(state, `gabob${ENTER}`);
    expect(rowsOf(state)[0]?.assignee).toBe('bob');
    expect(promptOf(typeKeys(state, `jab\t`)).draft).toBe('bob');
    state = await press(state, `cseen it${ENTER}`);
    expect(state.notice?.tone).toBe('good');

    const merged = await press(state, 'g   my');
    expect([merged.notice?.text, count(merged)]).toEqual([expect.stringMatching(/^Merged 3 issues/), KINDS - 2]);
    expect(rowsOf(merged).some(({ merged: members, count: events }) => members.length === 2 && events === 3)).toBe(
      true,
    );
    const splitting = await press(merged, 'gM');
    const members = menuOf(splitting).items.slice(1);
    expect(members).toHaveLength(2);
    for (const { label, right } of members) {
      expect([label, right]).toEqual([
        expect.stringMatching(/^\w+Error: /),
        expect.stringMatching(/^[0-9a-f]{8} {2}1 event$/),
      ]);
    }
    state = await press(splitting, 'a');
    expect([state.notice?.tone, count(state)]).toEqual(['good', KINDS]);

    const bulk = await press(state, `g ${DOWN.repeat(18)}Vrr`);
    expect([bulk.notice?.text, count(bulk)]).toEqual(['Resolved 20 issues. u undoes.', KINDS - 20]);
    expect(issuesOf(bulk).counts).toMatchObject({ open: KINDS - 20, resolved: 20, all: KINDS });
    const back = await press(bulk, 'u');
    expect([back.notice?.tone, count(back)]).toEqual(['good', KINDS]);
  });
});
