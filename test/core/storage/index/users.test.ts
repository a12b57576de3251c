import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { createMemoryDisk } from '../record/memory-disk.js';
import { HOUR_MS, openFolder, rebuilt } from '../retention/folder-under-retention.js';
import { closeStores, storeUnderTest } from '../store-under-test.js';
import { stateOf } from './index-state.js';
import { MemoryRecord } from './memory-record.js';
import { failures, feed, openIndex } from './open-index.js';

afterEach(closeStores);
afterAll(removeTemporaryFolders);

const NAMES = ['ada', 'bob', null, 'ada', 'cy'];

async function usersIn(directory?: string): Promise<Record<string, number>> {
  const { reader, store } = await storeUnderTest(directory);
  const { issues } = await reader.listIssues();
  await store.close();
  return Object.fromEntries(issues.map(({ error_name, users }) => [error_name, users]));
}

describe('users of an issue', () => {
  it('are counted once each; events without a user are ignored', async () => {
    const { append, reader } = await storeUnderTest();
    await append(...NAMES.map((user_id) => ({ error_name: 'Seen', user_id })));
    await append({ error_name: 'Seen', user_id: 'bob' }, { error_name: 'Lonely', user_id: null });
    const { issues } = await reader.listIssues({ sort: 'count' });
    expect(issues.map(({ error_name, users }) => [error_name, users])).toEqual([
      ['Seen', 3],
      ['Lonely', 0],
    ]);
  });

  it('are never more than events, whatever their ids are', async () => {
    const { append, reader } = await storeUnderTest();
    const ids = Array.from({ length: 300 }, (_, index) => ({ error_name: 'Seen', user_id: `u${index}` }));
    await append(...ids);
    const [issue] = (await reader.listIssues()).issues;
    expect(issue?.users).toBeGreaterThan(200);
    expect(issue?.users).toBeLessThanOrEqual(300);
  });

  it('are the same after a start and after a rebuild', async () => {
    const directory = await temporaryFolder();
    const first = await storeUnderTest(directory);
    await first.append(...NAMES.map((user_id) => ({ error_name: 'Seen', user_id })));
    await first.store.close();
    const second = await storeUnderTest(directory);
    await second.append({ error_name: 'Seen', user_id: 'cy' }, { error_name: 'Seen', user_id: 'dan' });
    await second.store.close();
    const expected = { Seen: 4 };
    expect(await usersIn(directory)).toEqual(expected);
    await rm(join(directory, 'index'), { recursive: true });
    expect(await usersIn(directory)).toEqual(expected);
  });

  it('of merged issues are counted together', async () => {
    const { append, reader, store } = await storeUnderTest();
    const [one, other] = await append(
      { error_name: 'One', user_id: 'ada' },
      { error_name: 'Other', user_id: 'ada' },
      { error_name: 'Other', user_id: 'bob' },
    );
    if (one === undefined || other === undefined) throw new Error('Two issues were stored.');
    await store.act(one.issue_id, { action: 'merge', issues: [other.issue_id], actor: 'ada' });
    expect((await reader.listIssues()).issues.map(({ count, users }) => [count, users])).toEqual([[3, 2]]);
  });

  it('stay when retention removes their events, also after a rebuild', async () => {
    const disk = createMemoryDisk();
    const { store, at } = await openFolder(disk.files, { retention: { maxAgeMs: 2 * HOUR_MS, maxBytes: 0 } });
    await at(0, [1], { user_id: 'ada' });
    await at(0.5, [1], { user_id: 'bob' });
    await at(5, [1], { user_id: 'bob' });
    await store.retain();
    const [issue] = (await store.reader.listIssues()).issues;
    expect([issue?.count, issue?.removed_events, issue?.users]).toEqual([1, 2, 2]);
    await store.close();
    expect((await rebuilt(disk.files)).issues).toMatchObject([{ count: 1, removed_events: 2, users: 2 }]);
  });

  it('continue from the stored sketch when more arrive', async () => {
    const directory = await temporaryFolder();
    const record = new MemoryRecord();
    const { index } = await openIndex(directory, record);
    const kindOf = (users: number) => (commit: number) =>
      failures(600).map((payload, kind) => ({ ...payload, user_id: kind % 3 === 0 ? null : `u${commit % users}` }));
    feed(record, index, 3, kindOf(3));
    await index.close();
    const { index: next } = await openIndex(directory, record);
    feed(record, next, 5, kindOf(5));
    const { index: made } = await openIndex(await temporaryFolder(), record);
    expect(await stateOf(next.content)).toEqual(await stateOf(made.content));
    await next.close();
    await made.close();
  });
});
