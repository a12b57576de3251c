/** Actions that several stores share: planned in one of them, stored by each. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { type IssueId, toIssueId } from '../../../core/event/ids.js';
import { indexFolder } from '../../../core/storage/index/documents/index-folder.js';
import type { ActionRequest } from '../../../generated/reader-answers.js';
import { missing } from '../../helpers/missing.js';
import { removeTemporaryFolders } from '../../helpers/temporary-folder.js';
import { closeStores, type StoreUnderTest, storeUnderTest } from './store-under-test.js';

afterEach(closeStores);
afterAll(removeTemporaryFolders);

async function issueOf({ append }: StoreUnderTest, error_name = 'Error'): Promise<IssueId> {
  return (await append({ error_name }))[0]?.issue_id ?? missing();
}

async function stateOf({ reader }: StoreUnderTest, issueId: IssueId) {
  const { status, regressed, history, count } = (await reader.getIssue(issueId)) ?? missing();
  return { status, regressed, count, history: history.map(({ at: _, ...entry }) => entry) };
}

/** Plans in one store and stores in all. */
async function share(from: StoreUnderTest, to: readonly StoreUnderTest[], issueId: IssueId, request: ActionRequest) {
  const action = { ...(await from.store.planAction(issueId, request)), id: v7() };
  for (const { store } of to) await store.adoptAction(action);
  return action;
}

async function storedIn(directory: string): Promise<string> {
  return await readFile(join(directory, 'actions.ndjson'), 'utf8').catch(() => '');
}

async function closeAndReopen({ store, directory }: StoreUnderTest, isRebuilt: boolean): Promise<StoreUnderTest> {
  await store.close();
  if (isRebuilt) await rm(indexFolder(directory), { recursive: true });
  return await storeUnderTest(directory);
}

const RESOLVED = { status: 'resolved', regressed: false };
const REGRESSED = { status: 'open', regressed: true };

it('plans what `act` would store, without storing it', async () => {
  const one = await storeUnderTest();
  const issueId = await issueOf(one);
  const request = { action: 'comment', text: 'hello', actor: 'ada' } as const;
  const planned = { action: 'comment', issueId, actor: 'ada', data: { text: 'hello' } };
  expect(await one.store.planAction(issueId, request)).toEqual(planned);
  expect(await storedIn(one.directory)).toBe('');
  const unknown = toIssueId('00000000-0000-5000-8000-000000000000') ?? missing();
  await expect(one.store.planAction(unknown, request)).rejects.toMatchObject({ code: 'ISSUE_NOT_FOUND' });
  const empty = one.store.planAction(issueId, { action: 'comment' });
  await expect(empty).rejects.toMatchObject({ code: 'ACTION_INVALID' });
});

it('stores an adopted action once, under its id and at its own time', async () => {
  const [one, two] = [await storeUnderTest(), await storeUnderTest()];
  const issueId = await issueOf(one);
  await issueOf(two);
  two.clock.nowMs += 60_000;
  const action = await share(one, [one, two, two], issueId, { action: 'assign', assignee: 'bob' });
  await two.store.adoptAction({ ...action, data: { assignee: 'eve' } });
  for (const each of [one, two]) {
    const lines = (await storedIn(each.directory)).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ id: action.id, data: { assignee: 'bob' } }]);
  }
  const at = async ({ reader }: StoreUnderTest) => (await reader.getIssue(issueId))?.history[0]?.at ?? missing();
  expect(Date.parse(await at(two)) - Date.parse(await at(one))).toBeGreaterThanOrEqual(60_000);
  const again = await closeAndReopen(two, false);
  await again.store.adoptAction(action);
  expect((await storedIn(two.directory)).trimEnd().split('\n')).toHaveLength(1);
});

it('adopts actions on an issue that has no events yet, in both orders with the same state', async () => {
  const [one, two] = [await storeUnderTest(), await storeUnderTest()];
  const issueId = await issueOf(one);
  await issueOf(one);
  await share(one, [one, two], issueId, { action: 'resolve', actor: 'ada' });
  expect(await two.reader.getIssue(issueId)).toBeUndefined();
  expect((await two.reader.listIssues()).issues).toEqual([]);
  await issueOf(two);
  expect(await stateOf(two, issueId)).toMatchObject({ ...RESOLVED, count: 1 });
  await issueOf(two);
  expect(await stateOf(two, issueId)).toEqual(await stateOf(one, issueId));
  expect(await stateOf(two, issueId)).toMatchObject({ ...RESOLVED, count: 2 });
  for (const each of [one, two]) {
    await issueOf(each);
    expect(await stateOf(each, issueId)).toMatchObject({ ...REGRESSED, count: 3 });
  }
});

it('regresses alike, wherever an event and a resolution cross, and after a rebuild', async () => {
  const [one, ahead, behind] = [await storeUnderTest(), await storeUnderTest(), await storeUnderTest()];
  const issueId = await issueOf(one);
  await issueOf(one);
  for (let event = 0; event < 3; event += 1) await issueOf(ahead);
  await issueOf(behind);
  await share(one, [one, ahead, behind], issueId, { action: 'resolve' });
  expect(await stateOf(one, issueId)).toMatchObject(RESOLVED);
  expect(await stateOf(ahead, issueId)).toMatchObject(REGRESSED);
  await issueOf(one);
  await issueOf(behind);
  expect(await stateOf(behind, issueId)).toMatchObject(RESOLVED);
  await issueOf(behind);
  const state = await stateOf(one, issueId);
  expect(state).toMatchObject({ ...REGRESSED, count: 3 });
  for (const each of [ahead, behind]) {
    expect(await stateOf(each, issueId)).toEqual(state);
    expect(await stateOf(await closeAndReopen(each, true), issueId)).toEqual(state);
  }
});

it('shows when an issue came back that had regressed before its resolution arrived, and only that', async () => {
  const [one, ahead, behind] = [await storeUnderTest(), await storeUnderTest(), await storeUnderTest()];
  const issueId = await issueOf(one);
  await issueOf(one);
  for (let event = 0; event < 3; event += 1) await issueOf(ahead);
  await issueOf(behind);
  const { id } = await share(one, [ahead, behind], issueId, { action: 'resolve' });
  await issueOf(behind);
  const regressions = async ({ reader }: StoreUnderTest) =>
    (await reader.getIssue(issueId))?.automatic_history.filter(({ kind }) => kind === 'regressed');
  expect(await regressions(ahead)).toMatchObject([{ cause: id, detail: null }]);
  expect(await regressions(behind)).toEqual([]);
  await issueOf(behind);
  expect(await regressions(behind)).toMatchObject([{ cause: id }]);
});

it('reports a regression once, at the event beyond those that the resolution counted', async () => {
  const [one, behind] = [await storeUnderTest(), await storeUnderTest()];
  const issueId = await issueOf(one);
  await issueOf(one);
  await issueOf(behind);
  await share(one, [behind], issueId, { action: 'resolve' });
  const kinds: string[] = [];
  const step = async (after: string): Promise<string> => {
    for await (const change of behind.store.changes({ after })) {
      if (change.kind === 'caught_up' || change.kind === 'reset') return change.cursor;
      kinds.push(change.kind);
    }
    return missing();
  };
  let cursor = '';
  for await (const change of behind.store.changes()) {
    cursor = change.cursor;
    break;
  }
  for (let event = 0; event < 3; event += 1) {
    await issueOf(behind);
    cursor = await step(cursor);
  }
  expect(kinds).toEqual(['changed', 'regressed', 'changed']);
});

it('compares no counts of a store that has another first event, or of a group that changed', async () => {
  const [one, younger] = [await storeUnderTest(), await storeUnderTest()];
  const issueId = await issueOf(one);
  for (let event = 0; event < 5; event += 1) await issueOf(one);
  younger.clock.nowMs += 3_600_000;
  await issueOf(younger);
  await share(one, [one, younger], issueId, { action: 'resolve' });
  expect(await stateOf(younger, issueId)).toMatchObject(RESOLVED);
  await issueOf(younger);
  expect(await stateOf(younger, issueId)).toMatchObject({ ...REGRESSED, count: 2 });

  const other = await issueOf(one, 'Other');
  const target = await issueOf(one, 'Target');
  await share(one, [one], target, { action: 'resolve' });
  await share(one, [one], target, { action: 'merge', issues: [other] });
  expect(await stateOf(one, target)).toMatchObject({ ...RESOLVED, count: 2 });
  await share(one, [one], other, { action: 'resolve' });
  expect(await stateOf(one, target)).toMatchObject(RESOLVED);
  await issueOf(one, 'Other');
  expect(await stateOf(one, target)).toMatchObject({ ...REGRESSED, count: 3 });
});
