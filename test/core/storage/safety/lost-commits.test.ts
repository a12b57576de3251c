import { join } from 'node:path';
import { rebuildIndex } from '../../../../core/storage/verify/rebuild-index.js';
import { verifyFolder } from '../../../../core/storage/verify/verify-folder.js';
import { groupsBy } from '../../../helpers/grouping.js';
import { createMemoryDisk, MEMORY_ROOT, type MemoryDisk } from '../record/memory-disk.js';
import { TEN_O_CLOCK_MS } from '../ten-o-clock.js';
import { LivingStore } from './living-store.js';
import { seededRandom } from './seeded-random.js';
import { eventOf, groupByName } from './sent-events.js';
import { StoreModel } from './store-model.js';
import { viewOf } from './store-view.js';

const HOUR_MS = 3_600_000;
const API_AT_TEN = `${MEMORY_ROOT}/raw/p/api/a/2026/11/21/10/commits.ndjson`;
const API_AT_ELEVEN = API_AT_TEN.replace('/10/', '/11/');
const WEB_AT_ELEVEN = API_AT_ELEVEN.replace('/api/', '/web/');

interface Folder {
  readonly disk: MemoryDisk;
  readonly model: StoreModel;
  readonly clock: { nowMs: number };
}

/** Returns a folder with two hours of two services and one batch id, after a clean stop. */
async function stoppedFolder(): Promise<Folder> {
  const folder = { disk: createMemoryDisk(), model: new StoreModel(), clock: { nowMs: TEN_O_CLOCK_MS } };
  const living = await LivingStore.open(folder);
  for (let batch = 0; batch < 16; batch += 1) {
    const events = ['api', 'web', 'api'].map((service, index) =>
      eventOf({ message: `${batch} ${index}`, service, env: 'p', kind: batch % 4 }),
    );
    await living.append(events, batch === 3 ? { batchId: 'import:march:3' } : {});
    if (batch === 7) folder.clock.nowMs += HOUR_MS;
  }
  await living.store.close();
  return folder;
}

async function write(disk: MemoryDisk, path: string, change: (bytes: Buffer) => Buffer | undefined): Promise<void> {
  const bytes = change((await disk.files.readFile(path)) ?? Buffer.alloc(0));
  if (bytes === undefined) return await disk.files.unlink(path);
  const file = await disk.files.open(path, 'write');
  await file.truncate(0);
  await file.write([bytes], 0);
  await file.sync();
}

async function codesOf(disk: MemoryDisk): Promise<string[]> {
  const codes: string[] = [];
  const onFinding = ({ code }: { code: string }): void => void codes.push(code);
  const createGrouper = groupsBy(groupByName);
  await verifyFolder({ directory: MEMORY_ROOT, files: disk.files, createGrouper, onFinding });
  return codes.filter((code) => code !== 'SALVAGED' && code !== 'INDEX_SET_ASIDE');
}

/** Opens a store on the folder; returns its content and faults. */
async function opened({ disk, model, clock }: Folder) {
  const living = await LivingStore.open({ disk, model, clock });
  await living.surveyed();
  const view = await viewOf(living.store.reader);
  const faults = living.faults.map(({ code }) => code);
  await living.store.close();
  return { view, faults };
}

describe('a folder that lost commit records of lines in its index', () => {
  it.each([
    ['a missing file', [API_AT_TEN], () => undefined],
    ['the file of the current hour', [WEB_AT_ELEVEN], () => undefined],
    ['all files', [API_AT_TEN, API_AT_ELEVEN, WEB_AT_ELEVEN], () => undefined],
    ['an emptied file', [API_AT_ELEVEN], () => Buffer.alloc(0)],
    ['garbage', [API_AT_TEN, API_AT_ELEVEN], () => Buffer.from('{"line":\n\u0000garbage\n'.repeat(40))],
    [
      'garbage after some records',
      [API_AT_ELEVEN],
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, bytes.indexOf('\n', 500) + 1), Buffer.alloc(9000, 'x\n')]),
    ],
  ] as const)('has the same events, ids and counts after a start: %s', async (_, paths, damage) => {
    const folder = await stoppedFolder();
    const before = await opened(folder);
    for (const path of paths) await write(folder.disk, path, damage);
    expect(await codesOf(folder.disk)).not.toEqual([]);
    const after = await opened(folder);
    expect(after.faults).toEqual(paths.map(() => 'COMMITS_RESTORED'));
    expect(after.view).toEqual(before.view);
    expect(await codesOf(folder.disk)).toEqual([]);
    await folder.disk.files.rename(join(MEMORY_ROOT, 'index'), join(MEMORY_ROOT, 'old'));
    expect((await opened(folder)).view).toEqual(before.view);
  });

  it('has the same events wherever the file was truncated', async () => {
    const folder = await stoppedFolder();
    const before = await opened(folder);
    const bytes = (await folder.disk.files.readFile(API_AT_TEN)) ?? Buffer.alloc(0);
    for (let end = 0; end < bytes.length; end += 97) {
      const disk = folder.disk.copy();
      await write(disk, API_AT_TEN, () => bytes.subarray(0, end));
      const after = await opened({ ...folder, disk });
      expect(after.view).toEqual(before.view);
      expect(await codesOf(disk)).toEqual([]);
    }
  });

  it('has the same events after repeated power failures while commit records are restored', async () => {
    const folder = await stoppedFolder();
    const before = await opened(folder);
    for (const path of [API_AT_TEN, API_AT_ELEVEN]) {
      await write(folder.disk, path, (bytes) => bytes.subarray(0, 333));
    }
    for (let diesAt = 0, died = true; died; diesAt += 1) {
      const random = seededRandom(diesAt + 1);
      let disk = folder.disk.copy();
      for (let lives = 0; lives < 2; lives += 1) {
        let calls = 0;
        disk.fateOf = () => {
          calls += 1;
          return calls > diesAt ? { code: 'EIO', effect: random.percent(50) ? 'none' : 'part' } : undefined;
        };
        const living = await LivingStore.open({ ...folder, disk }).catch(() => undefined);
        died = calls > diesAt;
        disk = random.percent(50) ? disk.kill() : disk.failPower(random.next);
        await living?.store.close().catch(() => undefined);
      }
      const after = await opened({ ...folder, disk });
      expect(after.view).toEqual(before.view);
      expect(await codesOf(disk)).toEqual([]);
    }
  });

  it('keeps event ids in a rebuild, which restores the commit records first', async () => {
    const folder = await stoppedFolder();
    const before = await opened(folder);
    await write(folder.disk, API_AT_TEN, () => undefined);
    const createGrouper = groupsBy(groupByName);
    await rebuildIndex({ directory: MEMORY_ROOT, files: folder.disk.files, createGrouper });
    expect((await opened(folder)).view).toEqual(before.view);
  });

  it('lets a repeated import find its lines without their batch id', async () => {
    const folder = await stoppedFolder();
    await write(folder.disk, API_AT_TEN, () => undefined);
    const living = await LivingStore.open(folder);
    const lines: string[] = [];
    for await (const line of living.store.recoveredLines()) lines.push(line.toString('utf8'));
    await living.store.close();
    expect(lines.map((line) => JSON.parse(line).message)).toEqual(expect.arrayContaining(['3 0', '3 2']));
  });
});

describe('a folder that lost commit records of lines missing in its index', () => {
  it('counts every event once after a kill', async () => {
    const folder = await stoppedFolder();
    const living = await LivingStore.open(folder);
    await living.append([eventOf({ message: 'later', service: 'api', env: 'p', kind: 1 })]);
    const disk = living.end();
    await write(disk, API_AT_ELEVEN, () => undefined);
    const { view } = await opened({ ...folder, disk });
    expect(view.stats.events).toBe(49);
    expect((view.issues['count'] ?? []).reduce((sum, { count }) => sum + count, 0)).toBe(49);
  });

  it('counts events that arrived during the last checkpoint once', async () => {
    const folder = await stoppedFolder();
    const living = await LivingStore.open(folder);
    const event = (message: string, service: string) => eventOf({ message, service, env: 'p', kind: 1 });
    await living.append([event('before', 'api')]);
    // Stored between the sealed segments and the issue states of the checkpoint.
    const during = living.append([event('during', 'api')]);
    await living.store.checkpoint();
    await during;
    await living.append([event('after', 'web')]);
    const disk = living.end();
    await write(disk, API_AT_ELEVEN, () => undefined);
    const { view } = await opened({ ...folder, disk });
    expect(view.stats.events).toBe(51);
    expect((view.issues['count'] ?? []).reduce((sum, { count }) => sum + count, 0)).toBe(51);
  });

  it('counts all lines once if the index is missing too', async () => {
    const folder = await stoppedFolder();
    for (const path of [API_AT_TEN, API_AT_ELEVEN, WEB_AT_ELEVEN]) await write(folder.disk, path, () => undefined);
    await folder.disk.files.rename(join(MEMORY_ROOT, 'index'), join(MEMORY_ROOT, 'index.unusable-1'));
    const { view } = await opened(folder);
    expect(view.stats.events).toBe(48);
    expect(await codesOf(folder.disk)).toEqual([]);
  });
});
