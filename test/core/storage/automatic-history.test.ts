import type { IssueId } from '../../../core/event/ids.js';
import type { AutomaticChange } from '../../../generated/reader-answers.js';
import { missing } from '../../helpers/missing.js';
import { removeTemporaryFolders } from '../../helpers/temporary-folder.js';
import { closeStores, type StoreUnderTest, storeUnderTest } from './store-under-test.js';

afterEach(closeStores);
afterAll(removeTemporaryFolders);

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

async function started(): Promise<StoreUnderTest & { issueId: IssueId; history(): Promise<AutomaticChange[]> }> {
  const test = await storeUnderTest();
  const [stored] = await test.append({ release: 'v2.3.0' });
  const issueId = stored?.issue_id ?? missing();
  return {
    ...test,
    issueId,
    history: async () => (await test.reader.getIssue(issueId))?.automatic_history ?? missing(),
  };
}

const shortOf = ({ at, kind, detail }: AutomaticChange): string => `${at.slice(11, 19)} ${kind} ${detail}`;

describe('what happens to an issue without an action', () => {
  it('is its first event, and the first event after each resolution, with their releases', async () => {
    const { clock, store, issueId, append, history } = await started();
    clock.nowMs += HOUR_MS;
    const { history: actions } = await store.act(issueId, { action: 'resolve' });
    clock.nowMs += HOUR_MS;
    await append({ release: 'v2.4.1' }, { release: 'v2.4.2' });
    clock.nowMs += HOUR_MS;
    await append({ release: 'v2.4.3' });
    const changes = await history();
    expect(changes.map(shortOf)).toEqual(['10:00:00 first_event v2.3.0, production', '12:00:00 regressed v2.4.1']);
    expect(changes[1]?.cause).toBe(actions[0]?.id);
    await store.act(issueId, { action: 'undo' });
    expect((await history()).map(({ kind }) => kind)).toEqual(['first_event']);
    await store.act(issueId, { action: 'resolve', in_release: 'v3.0.0' });
    clock.nowMs += HOUR_MS;
    await append({ release: 'v2.4.3' });
    expect(await history()).toHaveLength(1);
    await append({ release: 'v3.0.0' });
    expect((await history()).map(shortOf).at(-1)).toBe('14:00:00 regressed v3.0.0');
  });

  it('is the end of a snooze by time and by events, unless an action ended it before', async () => {
    const { clock, store, issueId, append, history } = await started();
    await store.act(issueId, { action: 'ignore', snooze: '6h' });
    clock.nowMs += 5 * HOUR_MS;
    expect(await history()).toHaveLength(1);
    await store.act(issueId, { action: 'ignore', snooze: '6h' });
    clock.nowMs += 7 * HOUR_MS;
    expect((await history()).map(shortOf).at(-1)).toBe('21:00:00 snooze_over until:2026-11-21T21:00:00Z');
    await store.act(issueId, { action: 'ignore', snooze: '2x' });
    clock.nowMs += MINUTE_MS;
    await append({});
    expect(await history()).toHaveLength(2);
    clock.nowMs += MINUTE_MS;
    await append({});
    clock.nowMs += MINUTE_MS;
    await append({});
    expect((await history()).map(shortOf).at(-1)).toBe('22:02:00 snooze_over 2x');
  });

  it('is a spike, from the minute in which events became unusually many until the hour after it', async () => {
    const { clock, append, history } = await started();
    for (let hour = 0; hour < 8; hour += 1) {
      clock.nowMs += HOUR_MS;
      await append({}, {});
    }
    clock.nowMs += 20 * MINUTE_MS;
    expect((await history()).map(({ kind }) => kind)).toEqual(['first_event']);
    await append(...Array.from({ length: 400 }, () => ({})));
    expect((await history()).map(shortOf).at(-1)).toMatch(
      /^18:20:00 spike_began 402 events in an hour, \d to 2 before$/,
    );
    clock.nowMs += 2 * HOUR_MS;
    expect((await history()).map(shortOf).at(-1)).toBe('20:00:00 spike_ended null');
  });
});
