import { join } from 'node:path';
import { openFolderReader } from '../../../../core/storage/folder-reader.js';
import { failingFiles } from '../record/failing-files.js';
import { createMemoryDisk, MEMORY_ROOT, type MemoryDisk } from '../record/memory-disk.js';
import { TEN_O_CLOCK_MS } from '../ten-o-clock.js';
import { everything, filesBelow, HOUR_MS, openFolder, rebuilt } from './folder-under-retention.js';

const RETENTION = { maxAgeMs: 2 * HOUR_MS, maxBytes: 0 };
const LAST_HOUR = 30;
const clock = (): { nowMs: number } => ({ nowMs: TEN_O_CLOCK_MS + LAST_HOUR * HOUR_MS });

/** Returns a folder with a completed removal in which two removals with two checkpoints are due. */
async function filledDisk(): Promise<MemoryDisk> {
  const disk = createMemoryDisk();
  const { store, at } = await openFolder(disk.files, { retention: RETENTION });
  await at(0, [1, 2], { extra: { faultline: { sampled: 5 } } });
  await at(3, [1, 3], { release: 'v2' });
  await store.retain();
  for (let hour = 4; hour <= LAST_HOUR; hour += 13)
    await at(hour, [1, hour, 3], { env: `e${hour}`, extra: { faultline: { sampled: hour } } });
  await store.checkpoint();
  await at(LAST_HOUR, [1, 5], { service: 'web' });
  await store.close();
  return disk;
}

const ENDS = ['killed', 'power', 'lucky power'] as const;
/** FAULTLINE_EVERY_CALL=1 ends the process in every way at every call; by default two of three ways alternate. */
const isEveryCall = process.env['FAULTLINE_EVERY_CALL'] !== undefined;

type Found = Awaited<ReturnType<typeof everything>>;

/** Returns everything that a reader without the lock returns. */
async function readWithoutLock(disk: MemoryDisk): Promise<Found> {
  const files = disk.files;
  const reader = await openFolderReader({ directory: MEMORY_ROOT, files });
  const found = await everything(reader);
  await reader.close();
  return found;
}

describe('a process that dies at any call of a removal', () => {
  it('leaves a folder that completes or discards it, with the same counts as a rebuild', async () => {
    const filled = await filledDisk();
    const before = JSON.stringify(await readWithoutLock(filled.copy()));
    const done = filled.copy();
    const whole = await openFolder(failingFiles(done.files), { retention: RETENTION }, clock());
    await whole.store.retain();
    await whole.store.close();
    const after = JSON.stringify(await readWithoutLock(done));
    expect(after).not.toBe(before);

    const results = new Set<string>();
    let died = true;
    let diesAt = 0;
    for (; died; diesAt += 1) {
      const leftOut = isEveryCall ? undefined : ENDS[diesAt % ENDS.length];
      for (const end of ENDS.filter((one) => one !== leftOut)) {
        const disk = filled.copy();
        const files = failingFiles(disk.files);
        const dying = await openFolder(files, { retention: RETENTION }, clock());
        files.arm({ code: 'EIO', at: diesAt, times: Number.POSITIVE_INFINITY });
        died = await dying.store.retain().then(
          () => false,
          () => true,
        );
        const found = end === 'killed' ? disk.kill() : disk.failPower(() => (end === 'power' ? 0 : 1));
        await dying.store.close().catch(() => undefined);
        // Before a start recovers anything.
        const seen = JSON.stringify(await readWithoutLock(found));
        const opened = await openFolder(found.files, {}, clock());
        await opened.store.retain();
        await opened.store.close();
        const reopened = JSON.stringify(await readWithoutLock(found));
        expect(opened.faults).toEqual([]);
        expect(JSON.stringify(await rebuilt(found.files))).toBe(reopened);
        expect(seen).toBe(reopened);
        results.add(reopened === before ? 'before' : reopened === after ? 'after' : 'part');
        const hours = (await filesBelow(found.files, join(MEMORY_ROOT, 'raw'))).length / 2;
        expect(hours).toBe(JSON.parse(reopened).stats.partitions);
      }
    }
    expect(diesAt).toBeGreaterThan(30);
    expect([...results].sort()).toEqual(['after', 'before']);
  });
});
