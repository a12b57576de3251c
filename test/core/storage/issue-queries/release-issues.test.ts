import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type IssueId, toIssueId } from '../../../../core/event/ids.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import { removeTemporaryFolders } from '../../../helpers/temporary-folder.js';
import { closeStores, type StoreUnderTest, storeUnderTest } from '../store-under-test.js';

afterEach(closeStores);
afterAll(removeTemporaryFolders);

async function happen(under: StoreUnderTest, error_name: string, changes: Partial<RawPayload> = {}): Promise<IssueId> {
  under.clock.nowMs += 60_000;
  const [stored] = await under.append({ error_name, user_id: null, ...changes });
  const issueId = toIssueId(stored?.issue_id ?? '');
  if (issueId === undefined) throw new Error('nothing was stored');
  return issueId;
}

/** First, last and regressing release of each issue, by name. */
async function releasesOf({ reader }: StoreUnderTest, query = ''): Promise<Record<string, unknown>> {
  const { issues } = await reader.listIssues({ query, sort: 'first_seen' });
  return Object.fromEntries(
    issues.map((one) => [one.error_name, [one.first_release, one.last_release, one.regressed_in]]),
  );
}

async function numbersOf({ reader }: StoreUnderTest): Promise<Record<string, unknown>> {
  const { releases } = await reader.listReleases();
  return Object.fromEntries(
    releases.map((one) => [one.name, [one.events, one.users, one.new_issues, one.regressed_issues, one.gone_issues]]),
  );
}

async function reopened(under: StoreUnderTest): Promise<StoreUnderTest> {
  await closeStores();
  return await storeUnderTest(under.directory);
}

/** Three releases: Old only in v1, Back resolved in v1 and regressed in v2, New from v2 on, Bare without a release at first. */
async function threeReleases(): Promise<StoreUnderTest> {
  const under = await storeUnderTest();
  await happen(under, 'Old', { release: 'v1', user_id: 'ada' });
  const back = await happen(under, 'Back', { release: 'v1', user_id: 'ada' });
  await under.store.act(back, { action: 'resolve' });
  await happen(under, 'New', { release: 'v2', user_id: 'ben' });
  await happen(under, 'Bare', { release: null });
  await happen(under, 'Back', { release: 'v2', user_id: 'cleo' });
  await happen(under, 'Back', { release: 'v1' });
  await happen(under, 'Bare', { release: 'v3' });
  await happen(under, 'New', { release: 'v3', user_id: 'ben' });
  return under;
}

const ISSUES = {
  Old: ['v1', 'v1', null],
  Back: ['v1', 'v1', 'v2'],
  New: ['v2', 'v3', null],
  Bare: [null, 'v3', null],
};
const NUMBERS = { v3: [2, 1, 0, 0, 1], v2: [2, 2, 1, 1, 1], v1: [3, 1, 2, 0, 0] };

it('tells the first, the last and the regressing release, also from a checkpoint and from the record', async () => {
  const under = await threeReleases();
  expect([await releasesOf(under), await numbersOf(under)]).toEqual([ISSUES, NUMBERS]);
  const again = await reopened(under);
  expect([await releasesOf(again), await numbersOf(again)]).toEqual([ISSUES, NUMBERS]);
  await closeStores();
  await rm(join(under.directory, 'index'), { recursive: true });
  const rebuilt = await storeUnderTest(under.directory);
  expect([await releasesOf(rebuilt), await numbersOf(rebuilt)]).toEqual([ISSUES, NUMBERS]);
});

it('orders releases that were first seen together by name, whichever had the last event', async () => {
  const under = await storeUnderTest();
  const bare = { user_id: null };
  await under.append({ error_name: 'Old', release: 'v1', ...bare }, { error_name: 'New', release: 'v2', ...bare });
  const namesOf = async ({ reader }: StoreUnderTest) => (await reader.listReleases()).releases.map(({ name }) => name);
  expect([await namesOf(under), await numbersOf(under)]).toEqual([
    ['v2', 'v1'],
    { v1: [1, 0, 1, 0, 0], v2: [1, 0, 1, 0, 1] },
  ]);
  const again = await reopened(under);
  await happen(again, 'Old', { release: 'v1' });
  expect([await namesOf(again), await numbersOf(again)]).toEqual([
    ['v2', 'v1'],
    { v1: [2, 0, 1, 0, 0], v2: [1, 0, 1, 0, 1] },
  ]);
});

it('finds issues by new_in and regressed_in, with patterns, ranges and negation', async () => {
  const under = await threeReleases();
  const found = async (query: string) => Object.keys(await releasesOf(under, query)).sort();
  expect(await found('new_in:v1')).toEqual(['Back', 'Old']);
  expect(await found('new_in:v*')).toEqual(['Back', 'New', 'Old']);
  expect(await found('new_in:>=v2')).toEqual(['New']);
  expect(await found('-new_in:v1')).toEqual(['Bare', 'New']);
  expect(await found('regressed_in:v2')).toEqual(['Back']);
  expect(await found('regressed_in:v1')).toEqual([]);
  expect(await found('NOT regressed_in:*')).toEqual(['Bare', 'New', 'Old']);
  const { values } = await under.reader.listValues({ field: 'new_in' });
  expect(values.map(({ value }) => value).sort()).toEqual(['v1', 'v2']);
});

it('keeps the release that regressed an issue when it is resolved again, and forgets it with an undo', async () => {
  const under = await threeReleases();
  const [{ issue_id: back } = { issue_id: '' }] = (await under.reader.listIssues({ query: 'regressed_in:v2' })).issues;
  const issueId = toIssueId(back);
  if (issueId === undefined) throw new Error('not found');
  expect(await under.store.act(issueId, { action: 'resolve' })).toMatchObject({
    status: 'resolved',
    regressed_in: 'v2',
  });
  await happen(under, 'Back', { release: 'v4' });
  expect(await under.reader.getIssue(issueId)).toMatchObject({ regressed: true, regressed_in: 'v4' });
  await under.store.act(issueId, { action: 'undo' });
  expect(await under.reader.getIssue(issueId)).toMatchObject({ regressed: true, regressed_in: 'v2' });
});

it('reads the event that brought an issue back, where a release has events before and after the resolution', async () => {
  const under = await storeUnderTest();
  const issueId = await happen(under, 'Back', { release: 'v1' });
  await under.store.act(issueId, { action: 'resolve' });
  await happen(under, 'Back', { release: 'v1' });
  await happen(under, 'Back', { release: 'v2' });
  await happen(under, 'Back', { release: 'v1' });
  expect(await under.reader.getIssue(issueId)).toMatchObject({ regressed: true, regressed_in: 'v1' });
});

it('counts a merged issue once, with the releases of all members', async () => {
  const under = await threeReleases();
  const idOf = async (query: string) => toIssueId((await under.reader.listIssues({ query })).issues[0]?.issue_id ?? '');
  const [late, early] = [await idOf('error_name:New'), await idOf('error_name:Old')];
  if (late === undefined || early === undefined) throw new Error('not found');
  await under.store.act(late, { action: 'merge', issues: [early] });
  expect(await releasesOf(under, 'new_in:v1')).toEqual({ Back: ISSUES.Back, New: ['v1', 'v3', null] });
  expect(await numbersOf(under)).toEqual({ v3: [2, 1, 0, 0, 1], v2: [2, 2, 0, 1, 0], v1: [3, 1, 2, 0, 0] });
});
