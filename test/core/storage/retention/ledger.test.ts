import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { StoreFiles } from '../../../../core/storage/files/store-files.js';
import { openFolderReader } from '../../../../core/storage/folder-reader.js';
import { expectSame } from '../../../helpers/expect-same.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { failingFiles } from '../record/failing-files.js';
import { createMemoryDisk, MEMORY_ROOT } from '../record/memory-disk.js';
import { everything, filesBelow, HOUR_MS, openFolder, rebuilt } from './folder-under-retention.js';

const LEDGER = join(MEMORY_ROOT, 'retention.ndjson');
const RAW = join(MEMORY_ROOT, 'raw');
const TWO_HOURS = { maxAgeMs: 2 * HOUR_MS, maxBytes: 0 };

async function textOf(files: StoreFiles, path = LEDGER): Promise<string> {
  return (await files.readFile(path))?.toString('utf8') ?? '';
}

async function write(files: StoreFiles, path: string, text: string): Promise<void> {
  const file = await files.open(path, 'write');
  await file.truncate(0);
  await file.write([Buffer.from(text)], 0);
  await file.sync();
  await file.close();
}

/** A folder with one removal, and the text of the removed partition. */
async function afterRemoval() {
  const disk = createMemoryDisk();
  const { store, at, clock } = await openFolder(disk.files, { retention: TWO_HOURS });
  await at(0, [1, 2, 1]);
  const [path = ''] = (await filesBelow(disk.files, RAW)).filter((name) => name.endsWith('/raw.ndjson'));
  const taken = [path, path.replace('raw.ndjson', 'commits.ndjson')];
  const texts = await Promise.all(taken.map((name) => textOf(disk.files, join(RAW, name))));
  await at(5, [1, 3]);
  await store.retain();
  const live = await everything(store.reader);
  await store.close();
  const restore = async (): Promise<void> => {
    for (const [index, name] of taken.entries()) {
      await disk.files.makeFolder(join(RAW, name, '..'));
      await write(disk.files, join(RAW, name), texts[index] ?? '');
    }
  };
  return { disk, clock, live, taken, restore };
}

describe('the ledger of removals', () => {
  it('has a line for each issue and partition, one for the removal, and one when it is done', async () => {
    const { disk } = await afterRemoval();
    const lines = (await textOf(disk.files)).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { kind: 'issue', removed: 2 },
      { kind: 'issue', removed: 1 },
      { kind: 'partition', folder: 'raw/production/api/shop/2026/11/21/10' },
      {
        kind: 'removed',
        before: '2026-11-21T11:00:00.000000Z',
        reason: 'age',
        events: 3,
        lines: 3,
        total: { events: 3 },
      },
      { kind: 'done', before: '2026-11-21T11:00:00.000000Z' },
    ]);
  });

  it('is cut at its torn end, which is saved in salvage/', async () => {
    const { disk, clock, live } = await afterRemoval();
    const text = await textOf(disk.files);
    const [first = ''] = text.split('\n');
    for (const torn of [first.slice(0, 40), `${first}\n`, `${first}\n{"kind":"removed","before":"20`]) {
      await write(disk.files, LEDGER, text + torn);
      const { store, faults } = await openFolder(disk.files, {}, clock);
      expect(await everything(store.reader)).toEqual(live);
      await store.close();
      expect([await textOf(disk.files), faults]).toEqual([text, []]);
    }
    expect((await filesBelow(disk.files, join(MEMORY_ROOT, 'salvage'))).length).toBeGreaterThan(1);
  });

  it('ignores a last removal that is damaged', async () => {
    const { disk, clock, restore } = await afterRemoval();
    await restore();
    const text = (await textOf(disk.files)).replace(/\{"kind":"done".*\n/, '').replace('"removed":2', '"removed":7');
    await write(disk.files, LEDGER, text);
    const { store, faults } = await openFolder(disk.files, {}, clock);
    expect((await store.reader.stats()).events).toBe(5);
    expect(faults.map((fault) => Reflect.get(fault, 'code'))).toEqual(['INDEX_UNUSABLE']);
    await store.close();
  });

  it('is completed by the next start, which deletes only the named partitions', async () => {
    const { disk, clock, live, taken, restore } = await afterRemoval();
    await restore();
    const other = (taken[0] ?? '').replace('/api/', '/other/');
    await disk.files.makeFolder(join(RAW, other, '..'));
    await write(disk.files, join(RAW, other), 'something put here by a user\n');
    await write(disk.files, LEDGER, (await textOf(disk.files)).replace(/\{"kind":"done".*\n/, ''));
    const { store, faults } = await openFolder(disk.files, {}, clock);
    await store.retain();
    expect(await everything(store.reader)).toEqual(live);
    await store.close();
    const left = await filesBelow(disk.files, RAW);
    expect([left.includes(other), left.includes(taken[0] ?? '')]).toEqual([true, false]);
    expect(faults).toMatchObject([{ code: 'RETENTION_RESTORED' }]);
    expect((await textOf(disk.files)).endsWith('}\n')).toBe(true);
  });

  it('never names a folder outside the record, even if edited', async () => {
    const { disk, clock, live, restore } = await afterRemoval();
    await restore();
    const text = (await textOf(disk.files)).replace('raw/production/api/shop', 'raw/production/../shop');
    await write(disk.files, LEDGER, text.replace(/\{"kind":"done".*\n/, ''));
    const { store } = await openFolder(disk.files, {}, clock);
    await store.retain();
    expect((await filesBelow(disk.files, RAW)).length).toBe(live.stats.partitions * 2 + 2);
    await store.close();
  });

  it('loses its removals when it is deleted: restored partitions count again', async () => {
    const { disk, clock, restore } = await afterRemoval();
    await restore();
    await disk.files.unlink(LEDGER);
    const { store, faults } = await openFolder(disk.files, {}, clock);
    expect(await store.reader.stats()).toMatchObject({ events: 5, removed: { events: 0, before: null } });
    expect(faults).toMatchObject([{ code: 'INDEX_UNUSABLE' }]);
    await store.close();
  });

  it('is compacted without changing its removals when most lines are superseded, also of issues in which no event counts', async () => {
    const disk = createMemoryDisk();
    const opened = await openFolder(disk.files, { retention: { maxAgeMs: 1, maxBytes: 0 } });
    const kinds = Array.from({ length: 260 }, (_, kind) => kind);
    const sizes: number[] = [];
    for (let hour = 0; hour < 12; hour += 1) {
      const extra = hour % 3 === 0 ? { faultline: { sampled: 10 } } : null;
      // Long names: a ledger below 4 MiB is not compacted.
      const release = `release-${hour}-${'x'.repeat(180)}`;
      const [first] = await opened.at(hour, kinds, { env: `e${hour}`, extra, release });
      const repeats = first?.event_id ?? '';
      if (hour === 0) await opened.at(0.1, [1, 2], { app: 'till', extra: { faultline: { repeats } } });
      await opened.store.retain();
      sizes.push((await disk.files.stat(LEDGER))?.bytes ?? 0);
    }
    expect(sizes.some((size, index) => size < (sizes[index - 1] ?? 0) / 2)).toBe(true);
    const live = await everything(opened.store.reader);
    const [shop] = live.issues.filter(({ app }) => app !== 'till');
    expect(shop).toMatchObject({ count: 2, removed_events: 4 * 11 + 6 });
    expect(live.issues.filter(({ app }) => app === 'till')).toMatchObject([{ count: 0 }, { count: 0 }]);
    await opened.store.close();
    const again = await openFolder(disk.files, {}, opened.clock);
    expectSame(await everything(again.store.reader), live);
    await again.store.close();
    expectSame(await rebuilt(disk.files, opened.clock), live);
    expect([...opened.faults, ...again.faults]).toEqual([]);
  });
});

describe('a partition that was put back', () => {
  it('is reported once, and neither counted nor deleted', async () => {
    const { disk, clock, live, taken, restore } = await afterRemoval();
    await restore();
    for (const rebuild of [false, true]) {
      if (rebuild) await rebuilt(disk.files);
      const { store, faults } = await openFolder(disk.files, { retention: TWO_HOURS }, clock);
      await store.retain();
      await store.retain();
      expect(await everything(store.reader)).toEqual(live);
      await store.close();
      expect(faults).toMatchObject([{ code: 'RETENTION_RESTORED' }]);
    }
    const texts = await Promise.all(taken.map((name) => textOf(disk.files, join(RAW, name))));
    expect(texts.every((text) => text.length > 0)).toBe(true);
  });
});

describe('a reader of a folder with a writer', () => {
  it('applies a removal and returns the same counts', async () => {
    const disk = createMemoryDisk();
    const { store, at, clock } = await openFolder(disk.files, { retention: TWO_HOURS });
    await at(0, [1, 2]);
    const faults: Error[] = [];
    const reader = await openFolderReader({
      directory: MEMORY_ROOT,
      files: disk.files,
      onFault: (fault) => faults.push(fault),
    });
    expect((await reader.stats()).events).toBe(2);
    await at(5, [1, 4]);
    await store.retain();
    await at(5.5, [2]);
    await waitFor('the reader to see the removal', async () => (await reader.stats()).events === 3);
    const { issues, total, details, events } = await everything(reader);
    const live = await everything(store.reader);
    const trendless = (list: readonly (object | undefined)[]) =>
      list.map((issue) => ({ ...issue, trend: [], is_new: false }));
    expect([trendless(issues), total, trendless(details), events]).toEqual([
      trendless(live.issues),
      live.total,
      trendless(live.details),
      live.events,
    ]);
    expect((await reader.stats()).removed).toEqual(live.stats.removed);
    await store.close();
    await reader.close();
    expect([faults, clock.nowMs > 0]).toEqual([[], true]);
  });
});

describe('a disk that refuses', () => {
  it.each([
    ['EACCES', ['unlink']],
    ['EROFS', ['removeFolder']],
    ['ENOSPC', ['write']],
    ['EIO', ['sync']],
  ] as const)('with %s at %s is reported, does not delay appends, and the removal is retried', async (code, only) => {
    const disk = createMemoryDisk();
    const files = failingFiles(disk.files);
    const { store, at, faults } = await openFolder(files, { retention: TWO_HOURS });
    await at(0, [1]);
    await at(5, [1]);
    files.arm({ code, at: 0, times: Number.POSITIVE_INFINITY, only });
    await expect(store.retain()).rejects.toMatchObject({ code });
    await expect(store.retain()).rejects.toMatchObject({ code });
    files.arm();
    await at(5.5, [1]);
    await store.retain();
    expect(await store.reader.stats()).toMatchObject({
      events: 2,
      partitions: 1,
      removed: { events: 1, partitions: 1 },
    });
    const live = await everything(store.reader);
    await store.close();
    expect(faults).toEqual([]);
    expect((await rebuilt(disk.files)).stats).toEqual(live.stats);
  });

  it('at one partition does not stop the removal of others and of later hours', async () => {
    const disk = createMemoryDisk();
    let isRefusing = true;
    const files: StoreFiles = {
      ...disk.files,
      unlink: (path) =>
        isRefusing && path.includes('/web/') && path.includes('/21/10/')
          ? Promise.reject(Object.assign(new Error('EACCES'), { code: 'EACCES' }))
          : disk.files.unlink(path),
    };
    const { store, at } = await openFolder(files, { retention: { maxAgeMs: 0, maxBytes: 1 } });
    await at(0, [1]);
    await at(0.5, [1], { service: 'web' });
    await at(1, [1]);
    await expect(store.retain()).rejects.toMatchObject({ code: 'EACCES' });
    await at(2, [1]);
    await expect(store.retain()).rejects.toMatchObject({ code: 'EACCES' });
    expect(await store.reader.stats()).toMatchObject({ events: 1, partitions: 1, removed: { events: 3 } });
    expect((await filesBelow(disk.files, RAW)).filter((path) => path.includes('/21/1'))).toHaveLength(4);
    isRefusing = false;
    await store.retain();
    expect(await filesBelow(disk.files, RAW)).toHaveLength(2);
    await store.close();
  });
});

describe('the timer of retention', () => {
  it('removes hours, reports a failure once, and stops when the store closes', async () => {
    const disk = createMemoryDisk();
    const files = failingFiles(disk.files);
    const { store, at, faults } = await openFolder(files, { retention: TWO_HOURS, retentionIntervalMs: 5 });
    await at(0, [1]);
    files.arm({ code: 'EROFS', at: 0, times: Number.POSITIVE_INFINITY, only: ['removeFolder'] });
    await at(5, [1]);
    await waitFor('the failure', async () => files.calls > 3);
    expect(faults).toMatchObject([{ code: 'EROFS' }]);
    files.arm();
    await waitFor('the removal', async () => (await filesBelow(disk.files, RAW)).length === 2);
    await at(9, [1]);
    await store.close();
    const left = await filesBelow(disk.files, MEMORY_ROOT);
    for (let turns = 0; turns < 50; turns += 1) await turn();
    expect(await filesBelow(disk.files, MEMORY_ROOT)).toEqual(left);
  });
});
