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
export async function filledDisk(): Promise<MemoryDisk> {
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

/** Returns everything that a reader without the lock returns, as JSON. */
export async function readWithoutLock({ files }: MemoryDisk): Promise<string> {
  const reader = await openFolderReader({ directory: MEMORY_ROOT, files });
  const found = await everything(reader);
  await reader.close();
  return JSON.stringify(found);
}

/** How a process ends; after `lucky power` the disk has all writes that were not synced. */
export const ENDS = ['killed', 'power', 'lucky power'] as const;

/** Starts a removal on a copy of a disk, and ends its process at a call; returns the disk and whether the process lived that long. */
export async function dieInRemoval(filled: MemoryDisk, diesAt: number, end: (typeof ENDS)[number]) {
  const disk = filled.copy();
  const files = failingFiles(disk.files);
  const { store } = await openFolder(files, { retention: RETENTION }, clock());
  files.arm({ code: 'EIO', at: diesAt, times: Number.POSITIVE_INFINITY });
  const died = await store.retain().then(
    () => false,
    () => true,
  );
  const { calls } = files;
  const found = end === 'killed' ? disk.kill() : disk.failPower(() => (end === 'power' ? 0 : 1));
  await store.close().catch(() => undefined);
  return { found, died, calls };
}

/** Returns what the folder of a dead process shows, which must be the same before and after a start, and in a rebuilt index. */
export async function shownAfterDeath(found: MemoryDisk): Promise<string> {
  const seen = await readWithoutLock(found);
  const { store, faults } = await openFolder(found.files, {}, clock());
  await store.retain();
  await store.close();
  const reopened = await readWithoutLock(found);
  expect(faults).toEqual([]);
  expect(JSON.stringify(await rebuilt(found.files))).toBe(reopened);
  expect(seen).toBe(reopened);
  const hours = (await filesBelow(found.files, join(MEMORY_ROOT, 'raw'))).length / 2;
  expect(hours).toBe(JSON.parse(reopened).stats.partitions);
  return reopened;
}
