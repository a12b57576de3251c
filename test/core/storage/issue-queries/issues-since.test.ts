import type { SinceKind } from '../../../../core/contract/reader.js';
import { toIssueId } from '../../../../core/event/ids.js';
import { removeTemporaryFolders } from '../../../helpers/temporary-folder.js';
import { closeStores, type StoreUnderTest, storeUnderTest } from '../store-under-test.js';
import { TEN_O_CLOCK_MS } from '../ten-o-clock.js';

afterEach(closeStores);
afterAll(removeTemporaryFolders);

const HOUR_MS = 3_600_000;
const at = (ms: number): string => new Date(ms).toISOString();

async function namesOf({ reader }: StoreUnderTest, kind: SinceKind, from: number, before: number): Promise<string[]> {
  const { issues, counts } = await reader.listIssuesSince({ from: at(from), before: at(before), kind });
  expect(counts[kind]).toBe(issues.length);
  return issues.map(({ issue, rate, rate_before }) => `${issue.error_name} ${rate} ${rate_before}`);
}

/** Stores events of an issue, all at the time of the clock. */
async function happen({ append, clock }: StoreUnderTest, atMs: number, error_name: string, count = 1) {
  clock.nowMs = atMs;
  const [stored] = await append(...Array.from({ length: count }, () => ({ error_name, release: 'v1' })));
  const issueId = toIssueId(stored?.issue_id ?? '');
  if (issueId === undefined) throw new Error('nothing was stored');
  return issueId;
}

it('lists each open issue under the first kind that fits, by the change of its rate', async () => {
  const under = await storeUnderTest();
  const [before, since] = [TEN_O_CLOCK_MS, TEN_O_CLOCK_MS + 4 * HOUR_MS];
  const back = await happen(under, before, 'Back');
  await happen(under, before, 'More', 4);
  await happen(under, before, 'Much', 8);
  await happen(under, before, 'Steady', 40);
  await happen(under, before, 'Quiet', 8);
  await happen(under, before, 'Rare', 4);
  await under.store.act(back, { action: 'resolve' });
  const fixed = await happen(under, since, 'Fixed', 20);
  await happen(under, since, 'New', 2);
  await happen(under, since, 'Back', 30);
  await happen(under, since, 'More', 12);
  await happen(under, since, 'Much', 60);
  await happen(under, since, 'Steady', 20);
  await under.store.act(fixed, { action: 'resolve' });
  under.clock.nowMs = since + 2 * HOUR_MS;

  expect(await namesOf(under, 'new', since, before)).toEqual(['New 1 0']);
  expect(await namesOf(under, 'came_back', since, before)).toEqual(['Back 15 0.3']);
  expect(await namesOf(under, 'more', since, before)).toEqual(['Much 30 2', 'More 6 1']);
  expect(await namesOf(under, 'quiet', since, before)).toEqual(['Quiet 0 2']);
});

it('compares with all earlier events if the hours of an older instant are no longer counted', async () => {
  const under = await storeUnderTest();
  await happen(under, TEN_O_CLOCK_MS, 'More', 10);
  await happen(under, TEN_O_CLOCK_MS, 'Quiet', 10);
  const now = TEN_O_CLOCK_MS + 100 * HOUR_MS;
  await happen(under, now, 'More', 230);
  const [since, before] = [now - 48 * HOUR_MS, now - 200 * HOUR_MS];
  expect(await namesOf(under, 'more', since, before)).toEqual(['More 10 0.1']);
  expect((await under.reader.listIssuesSince({ from: at(since), before: at(before), kind: 'quiet' })).counts).toEqual({
    new: 0,
    came_back: 0,
    more: 1,
    quiet: 1,
  });
});

it('counts the releases of the events, also after the index was closed and rebuilt from disk', async () => {
  const under = await storeUnderTest();
  await happen(under, TEN_O_CLOCK_MS, 'One', 700);
  under.clock.nowMs += HOUR_MS;
  await under.append({ error_name: 'One', release: 'v2' }, { error_name: 'One', release: null });
  const expected = {
    releases: [
      expect.objectContaining({ name: 'v2', first_seen: expect.stringContaining('T11:00:00.000'), events: 1 }),
      expect.objectContaining({ name: 'v1', first_seen: expect.stringContaining('T10:00:00.000'), events: 700 }),
    ],
    total: 2,
  };
  expect(await under.reader.listReleases()).toEqual(expected);
  await closeStores();
  const again = await storeUnderTest(under.directory);
  expect(await again.reader.listReleases()).toEqual(expected);
});
