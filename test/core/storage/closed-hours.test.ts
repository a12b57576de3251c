import type { EventStore } from '../../../core/storage/event-store.js';
import type { StoreFiles } from '../../../core/storage/files/store-files.js';
import { openFolderReader } from '../../../core/storage/folder-reader.js';
import { createMemoryDisk, MEMORY_ROOT, type MemoryDisk } from './record/memory-disk.js';
import { HOUR_MS, openFolder } from './retention/folder-under-retention.js';

const NEVER_MS = 2 ** 30;
const HOURS_FILE = `${MEMORY_ROOT}/index/hours.json`;

/** Files that count their calls. */
function countingCalls(real: StoreFiles): { files: StoreFiles; calls: () => number } {
  let calls = 0;
  const counted = Object.entries(real).map(([name, call]: [string, (...args: unknown[]) => unknown]) => {
    const countedCall = (...args: unknown[]): unknown => {
      calls += 1;
      return call(...args);
    };
    return [name, countedCall] as const;
  });
  return { files: Object.fromEntries(counted) as unknown as StoreFiles, calls: () => calls };
}

/** A folder with one event of each service in each hour, after a clean stop. */
async function filledFolder(hours: number, services: number): Promise<{ disk: MemoryDisk; clock: { nowMs: number } }> {
  const disk = createMemoryDisk();
  const { store, at, clock } = await openFolder(disk.files);
  for (let hour = 0; hour < hours; hour += 1) {
    for (let service = 0; service < services; service += 1) await at(hour, [1], { service: `service ${service}` });
  }
  await store.close();
  return { disk, clock };
}

/** Opens a store, and returns how many calls that and its statistics made. */
async function callsOfStart(
  disk: MemoryDisk,
  clock: { nowMs: number },
): Promise<{ start: number; stats: number; store: EventStore }> {
  const { files, calls } = countingCalls(disk.files);
  const { store, faults } = await openFolder(
    files,
    { retention: { maxAgeMs: 1000 * HOUR_MS, maxBytes: 2 ** 40 } },
    clock,
  );
  const start = calls();
  await store.reader.stats();
  expect(faults).toEqual([]);
  return { start, stats: calls() - start, store };
}

async function expectCalls(hours: number, services: number): Promise<{ start: number; stats: number }> {
  const { disk, clock } = await filledFolder(hours, services);
  const { store, ...calls } = await callsOfStart(disk, clock);
  const stats = await store.reader.stats();
  expect(stats).toMatchObject({ partitions: hours * services, events: hours * services });
  await store.close();
  return calls;
}

describe('a start with many partitions', () => {
  it('makes as many calls with many closed hours as with few', async () => {
    const few = await expectCalls(3, 3);
    const many = await expectCalls(23, 3);
    // The segments of the index, and nothing of the record.
    expect(many.start - few.start).toBeLessThanOrEqual(2);
    expect(many.stats).toBe(few.stats);
  });

  it('makes a few calls for each open partition, and its statistics none', async () => {
    const few = await expectCalls(1, 5);
    const many = await expectCalls(1, 45);
    // Five lists of folders on the way, the length of the lines and the last commit.
    expect((many.start - few.start) / 40).toBeLessThanOrEqual(8);
    expect(many.stats).toBe(few.stats);
  });

  it('reads after a kill what the last checkpoint lacks, and no closed hour', async () => {
    const calls: number[] = [];
    for (const hours of [3, 23]) {
      const { disk, clock } = await filledFolder(hours, 3);
      const living = await openFolder(disk.files, { checkpointIntervalMs: NEVER_MS }, clock);
      await living.at(hours, [1], { service: 'service 1' });
      const { start, store } = await callsOfStart(disk.kill(), clock);
      calls.push(start);
      expect(await store.reader.stats()).toMatchObject({ partitions: hours * 3 + 1, events: hours * 3 + 1 });
      await store.close();
    }
    expect((calls[1] ?? 0) - (calls[0] ?? 0)).toBeLessThanOrEqual(2);
  });
});

describe('the sizes of closed hours', () => {
  it.each([
    ['missing', (disk: MemoryDisk) => disk.files.unlink(HOURS_FILE)],
    ['damaged', async (disk: MemoryDisk) => disk.cut(HOURS_FILE, 50)],
  ] as const)('are measured again if their document is %s', async (_, change) => {
    const { disk, clock } = await filledFolder(4, 2);
    const before = await callsOfStart(disk, clock);
    const stats = await before.store.reader.stats();
    await before.store.close();
    await change(disk);
    const after = await callsOfStart(disk, clock);
    expect(await after.store.reader.stats()).toEqual(stats);
    await after.store.close();
  });

  it('are the same in the writer, in a reader, after events, and after a rebuild', async () => {
    const { disk, clock } = await filledFolder(4, 2);
    const { store, at } = await openFolder(disk.files, {}, clock);
    await at(5, [1, 2], { service: 'service 1' });
    await at(5.5, [1], { service: 'another' });
    const { partitions, raw_bytes } = await store.reader.stats();
    const reader = await openFolderReader({ directory: MEMORY_ROOT, files: disk.files });
    expect(await reader.stats()).toMatchObject({ partitions: 10, raw_bytes });
    await reader.close();
    await store.close();
    await disk.files.rename(`${MEMORY_ROOT}/index`, `${MEMORY_ROOT}/old`);
    const again = await openFolder(disk.files, {}, clock);
    expect(await again.store.reader.stats()).toMatchObject({ partitions, raw_bytes });
    await again.store.close();
  });

  it('are corrected by the survey if hours were moved away, so that retention by size removes no others', async () => {
    const { disk, clock } = await filledFolder(6, 1);
    for (const hour of ['11', '12', '13'])
      disk.pull(`${MEMORY_ROOT}/raw/production/service 0/shop/2026/11/21/${hour}`.replace(' ', '%20'));
    const bounds = { maxAgeMs: 0, maxBytes: 0 };
    const { store } = await openFolder(disk.files, { retention: bounds }, clock);
    const { raw_bytes } = await store.reader.stats();
    bounds.maxBytes = Math.ceil(raw_bytes * 0.9);
    await store.retain();
    expect(await store.reader.stats()).toMatchObject({ partitions: 3, removed: { partitions: 0 } });
    await store.close();
  });
});
