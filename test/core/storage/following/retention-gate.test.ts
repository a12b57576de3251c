import type { RecordFollower } from '../../../../core/storage/following/record-follower.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { unsyncedFiles } from '../../../helpers/unsynced-files.js';
import { type FolderUnderRetention, HOUR_MS, openFolder } from '../retention/folder-under-retention.js';

const opened: FolderUnderRetention[] = [];

afterEach(async () => {
  for (const { store } of opened.splice(0)) await store.close();
});
afterAll(removeTemporaryFolders);

async function open(
  directory: string,
  retention: { maxAgeMs: number; maxBytes: number },
  clock?: { nowMs: number },
): Promise<FolderUnderRetention> {
  const folder = await openFolder(unsyncedFiles, { directory, retention }, clock);
  opened.push(folder);
  return folder;
}

async function consume(follower: RecordFollower, maxEvents: number): Promise<number> {
  const batch = await follower.next({ maxEvents, waitMs: 0, signal: new AbortController().signal });
  await follower.commit(batch.after);
  return batch.events.length;
}

async function countEvents({ store }: FolderUnderRetention): Promise<number> {
  return (await store.reader.stats()).events;
}

describe('retention', () => {
  it('waits for a follower up to its holdMs, and then counts the events that it missed', async () => {
    const folder = await open(await temporaryFolder(), { maxAgeMs: HOUR_MS, maxBytes: 0 });
    const follower = await folder.store.follow({ name: 'x', startAt: 'end', holdMs: 10 * HOUR_MS });
    await folder.at(0, [1, 2, 3]);
    await folder.at(1, [1]);
    expect(await consume(follower, 1)).toBe(1);

    await folder.at(5, [1]);
    await folder.store.retain();
    expect(await countEvents(folder)).toBe(5);
    expect(follower.status()).toMatchObject({ waiting: 4, isHeldFor: true, removed: 0 });

    await folder.at(12.5, [1]);
    await folder.store.retain();
    expect(await countEvents(folder)).toBe(3);
    expect(follower.status()).toMatchObject({ waiting: 3, isHeldFor: true, removed: 2 });

    expect(await consume(follower, 10)).toBe(3);
    expect(follower.status()).toMatchObject({ waiting: 0, isHeldFor: false, removed: 2 });
    await folder.store.retain();
    expect(await countEvents(folder)).toBe(1);
  });

  it('removes committed events at once, and does not wait for a follower without holdMs', async () => {
    const folder = await open(await temporaryFolder(), { maxAgeMs: HOUR_MS, maxBytes: 0 });
    const quick = await folder.store.follow({ name: 'quick', startAt: 'end', holdMs: 10 * HOUR_MS });
    await folder.store.follow({ name: 'without hold', startAt: 'end', holdMs: 0 });
    await folder.at(0, [1, 2, 3]);
    expect(await consume(quick, 10)).toBe(3);
    await folder.at(5, [1]);
    await folder.store.retain();
    expect(await countEvents(folder)).toBe(1);
  });

  it('also waits if the record is too large, from the time it became too large', async () => {
    const folder = await open(await temporaryFolder(), { maxAgeMs: 0, maxBytes: 1 });
    const follower = await folder.store.follow({ name: 'x', startAt: 'end', holdMs: HOUR_MS });
    await folder.at(0, [1, 2, 3]);
    await folder.at(1, [1]);
    await folder.store.retain();
    expect(await countEvents(folder)).toBe(4);
    expect(follower.status().isHeldFor).toBe(true);
    await folder.at(2.5, [1]);
    await folder.store.retain();
    expect(await countEvents(folder)).toBe(2);
    expect(follower.status()).toMatchObject({ waiting: 2, removed: 3 });
  });

  it('does not wait for a closed follower, which counts the missed events when it returns', async () => {
    const directory = await temporaryFolder();
    const retention = { maxAgeMs: HOUR_MS, maxBytes: 0 };
    const folder = await open(directory, retention);
    const options = { name: 'x', startAt: 'end', holdMs: 10 * HOUR_MS } as const;
    const follower = await folder.store.follow(options);
    await folder.at(0, [1, 2, 3]);
    await consume(follower, 1);
    await follower.close();
    await folder.at(5, [4]);
    await folder.store.retain();
    expect(await countEvents(folder)).toBe(1);
    await folder.store.close();
    const again = await open(directory, retention, folder.clock);
    const other = await again.store.follow(options);
    expect(other.status()).toMatchObject({ waiting: 1, removed: 2 });
    expect(await consume(other, 10)).toBe(1);
  });
});
