import { join } from 'node:path';
import { rebuildIndex } from '../../../../core/storage/verify/rebuild-index.js';
import { groupsBy } from '../../../helpers/grouping.js';
import { changeFile } from '../record/change-file.js';
import { MEMORY_ROOT } from '../record/memory-disk.js';
import { LivingStore } from './living-store.js';
import { eventOf, groupByName } from './sent-events.js';
import { API_AT_ELEVEN, API_AT_TEN, codesOf, opened, stoppedFolder, WEB_AT_ELEVEN } from './stopped-folder.js';

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
    for (const path of paths) await changeFile(folder.disk, path, damage);
    expect(await codesOf(folder.disk)).not.toEqual([]);
    const after = await opened(folder);
    expect(after.faults).toEqual(paths.map(() => 'COMMITS_RESTORED'));
    expect(after.view).toEqual(before.view);
    expect(await codesOf(folder.disk)).toEqual([]);
    await folder.disk.files.rename(join(MEMORY_ROOT, 'index'), join(MEMORY_ROOT, 'old'));
    expect((await opened(folder)).view).toEqual(before.view);
  });

  it('keeps event ids in a rebuild, which restores the commit records first', async () => {
    const folder = await stoppedFolder();
    const before = await opened(folder);
    await changeFile(folder.disk, API_AT_TEN, () => undefined);
    const createGrouper = groupsBy(groupByName);
    await rebuildIndex({ directory: MEMORY_ROOT, files: folder.disk.files, createGrouper });
    expect((await opened(folder)).view).toEqual(before.view);
  });

  it('lets a repeated import find its lines without their batch id', async () => {
    const folder = await stoppedFolder();
    await changeFile(folder.disk, API_AT_TEN, () => undefined);
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
    await changeFile(disk, API_AT_ELEVEN, () => undefined);
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
    await changeFile(disk, API_AT_ELEVEN, () => undefined);
    const { view } = await opened({ ...folder, disk });
    expect(view.stats.events).toBe(51);
    expect((view.issues['count'] ?? []).reduce((sum, { count }) => sum + count, 0)).toBe(51);
  });

  it('counts all lines once if the index is missing too', async () => {
    const folder = await stoppedFolder();
    for (const path of [API_AT_TEN, API_AT_ELEVEN, WEB_AT_ELEVEN]) await changeFile(folder.disk, path, () => undefined);
    await folder.disk.files.rename(join(MEMORY_ROOT, 'index'), join(MEMORY_ROOT, 'index.unusable-1'));
    const { view } = await opened(folder);
    expect(view.stats.events).toBe(48);
    expect(await codesOf(folder.disk)).toEqual([]);
  });
});
