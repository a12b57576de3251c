import { cp, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { crc32c } from '@node-rs/crc32';
import { Fault } from '../../../../core/event/fault.js';
import { DEFAULT_GROUPING } from '../../../../core/fingerprint/grouping-settings.js';
import { eventsOf } from '../../../../core/storage/index/content/find-events.js';
import { expectSame } from '../../../helpers/expect-same.js';
import { groupingBy } from '../../../helpers/grouping.js';
import { ManualTimers } from '../../../helpers/manual-timers.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { unsyncedFiles } from '../../../helpers/unsynced-files.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { computeFingerprint } from '../../fingerprint/compute-fingerprint.js';
import { failingFiles } from '../record/failing-files.js';
import { createMemoryDisk, MEMORY_ROOT } from '../record/memory-disk.js';
import { countingFiles } from './counting-files.js';
import { type IndexState, stateOf } from './index-state.js';
import { MemoryRecord } from './memory-record.js';
import { failures, feed, openIndex } from './open-index.js';

afterAll(removeTemporaryFolders);

/** Returns a record of 3,000 events of 680 issues, and a folder with its closed index. */
async function closedIndex(): Promise<{ directory: string; record: MemoryRecord }> {
  sample ??= createClosedIndex();
  const directory = await temporaryFolder();
  await cp((await sample).directory, directory, { recursive: true });
  return { directory, record: (await sample).record.copy() };
}

let sample: ReturnType<typeof createClosedIndex> | undefined;
async function createClosedIndex(): Promise<{ directory: string; record: MemoryRecord; state: IndexState }> {
  const directory = await temporaryFolder();
  const record = new MemoryRecord();
  const { index } = await openIndex(directory, record);
  feed(record, index, 30, (commit) => failures(100, (commit * 20) % 600));
  await index.close();
  return { directory, record, state: await rebuiltState(record) };
}

/** Returns the state of an index rebuilt from the record of `closedIndex`. */
async function closedState(): Promise<IndexState> {
  sample ??= createClosedIndex();
  return (await sample).state;
}

async function rebuiltState(record: MemoryRecord): Promise<IndexState> {
  const { index } = await openIndex(await temporaryFolder(), record);
  const state = await stateOf(index.content);
  await index.close();
  return state;
}

/** Returns the absolute paths of all documents of an index. */
async function documentsIn(directory: string, folder = 'index'): Promise<string[]> {
  const entries = await readdir(join(directory, folder), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function documentNamed(directory: string, pattern: RegExp): Promise<string> {
  const path = (await documentsIn(directory)).find((document) => pattern.test(document));
  if (path === undefined) throw new Error(`no document ${String(pattern)}`);
  return path;
}

describe('an index that was closed', () => {
  it('replays nothing and has the same content when it is opened again', async () => {
    const { directory, record } = await closedIndex();
    const { index, faults, replayed } = await openIndex(directory, record);
    expect([replayed, faults, index.lagEvents]).toEqual([0, [], 0]);
    expectSame(await stateOf(index.content), await closedState());
    await index.close();
  });

  it('writes nothing without changes', async () => {
    const { directory, record } = await closedIndex();
    const files = countingFiles(unsyncedFiles);
    const { index } = await openIndex(directory, record, { files });
    await index.checkpoint();
    await index.close();
    await index.close();
    expect(files.changes).toBe(0);
  });

  it('passes its cursor before it replays', async () => {
    const { directory, record } = await closedIndex();
    const cursors: number[] = [];
    const beforeReplay = async (cursor: number) => void cursors.push(cursor);
    const { index } = await openIndex(directory, record, { beforeReplay });
    expect(cursors).toEqual([record.commits.at(-1)?.receivedAtMicros]);
    await index.close();
  });

  it('removes documents that its manifest does not name', async () => {
    const { directory, record } = await closedIndex();
    for (let round = 0; round < 3; round += 1) {
      const { index } = await openIndex(directory, record);
      feed(record, index, 3, () => failures(10, 590 + round * 3));
      await index.checkpoint();
      feed(record, index, 1, () => failures(2));
      await index.close();
    }
    const documents = await documentsIn(directory);
    expect(documents.filter((path) => path.includes('/states/')).length).toBe(2);
    expect(documents.filter((path) => path.includes('/cards/')).length).toBe(Math.ceil(680 / 256));
    expect(documents.filter((path) => path.endsWith('.tmp'))).toEqual([]);
  });
});

describe('an unusable index', () => {
  const manifest = /manifest\.json$/;
  const states = /states\/1-/;
  const damages: [string, (directory: string) => Promise<unknown>][] = [
    ['has a torn manifest', async (directory) => truncate(await documentNamed(directory, manifest), 100)],
    ['has an empty manifest', async (directory) => truncate(await documentNamed(directory, manifest), 0)],
    ['has no manifest', async (directory) => rm(await documentNamed(directory, manifest))],
    ['has a torn shard', async (directory) => truncate(await documentNamed(directory, states), 1000)],
    ['lacks a shard', async (directory) => rm(await documentNamed(directory, states))],
    ['lacks issue headers', async (directory) => rm(await documentNamed(directory, /cards\/1\.json$/))],
    ['lacks a segment', async (directory) => rm(await documentNamed(directory, /events\/0\/2-/))],
    [
      'has a shard with a changed number',
      async (directory) => {
        const path = await documentNamed(directory, states);
        await writeFile(path, (await readFile(path, 'utf8')).replace('"count":[5,', '"count":[6,'));
      },
    ],
    [
      'has a newer format',
      async (directory) => {
        const path = await documentNamed(directory, manifest);
        await writeFile(path, (await readFile(path, 'utf8')).replace('"format":13', '"format":14'));
      },
    ],
    [
      'has an older format, without first releases',
      async (directory) => {
        const path = await documentNamed(directory, manifest);
        await writeFile(path, (await readFile(path, 'utf8')).replace('"format":13', '"format":8'));
      },
    ],
    [
      'has an invalid user sketch',
      async (directory) => {
        const path = await documentNamed(directory, states);
        const { data, ...header } = JSON.parse(await readFile(path, 'utf8'));
        const users = {
          user_counts: data.user_counts.map(() => 2),
          users: data.user_counts.flatMap(() => [7, 7]),
        };
        const body = JSON.stringify({ ...data, ...users });
        await writeFile(path, `${JSON.stringify({ ...header, crc32c: crc32c(body) }).slice(0, -1)},"data":${body}}`);
      },
    ],
    [
      'has the manifest of another program',
      async (directory) => writeFile(await documentNamed(directory, manifest), '{"database":"other"}'),
    ],
    [
      'has two documents exchanged',
      async (directory) => {
        const cards = await readFile(await documentNamed(directory, /cards\/1\.json$/));
        await writeFile(await documentNamed(directory, states), cards);
      },
    ],
  ];

  it.each(damages)('that %s is set aside and rebuilt', async (_, damage) => {
    const { directory, record } = await closedIndex();
    await damage(directory);
    const { index, faults, replayed } = await openIndex(directory, record);
    expect(replayed).toBe(3000);
    expectSame(await stateOf(index.content), await closedState());
    expect(faults.every((fault) => fault instanceof Fault && fault.code === 'INDEX_UNUSABLE')).toBe(true);
    await index.close();

    expect((await documentsIn(directory, 'index.unusable-1')).length).toBeGreaterThan(0);
    const again = await openIndex(directory, record);
    expect([again.replayed, again.faults]).toEqual([0, []]);
    await again.index.close();
  });

  it('that was grouped by another plan is rebuilt by the current one', async () => {
    const { directory, record } = await closedIndex();
    const fingerprint: typeof computeFingerprint = (payload) => ({ ...computeFingerprint(payload), version: 99 });
    const { plan, createGrouper } = groupingBy(fingerprint);
    const spans = [{ afterMicros: 0, throughMicros: 2 ** 52, settings: DEFAULT_GROUPING }];
    const { index, faults } = await openIndex(directory, record, {
      grouping: { plan: { ...plan, id: 'applied', spans }, createGrouper },
    });
    expect(faults).toMatchObject([{ code: 'INDEX_UNUSABLE' }]);
    expect(index.content.issues.inOrder.every((issue) => issue.fingerprintVersion === 99)).toBe(true);
    await index.close();
  });

  it('that belongs to another record is rebuilt', async () => {
    const { directory } = await closedIndex();
    const other = new MemoryRecord();
    feed(other, undefined, 3, () => failures(7, 5));
    const { index, replayed } = await openIndex(directory, other);
    expect([replayed, index.content.segments.events]).toEqual([21, 21]);
    await index.close();
  });

  it('that counts events which the record lost is rebuilt', async () => {
    const directory = await temporaryFolder();
    const record = new MemoryRecord();
    const files = failingFiles(unsyncedFiles);
    const timers = new ManualTimers();
    const { index } = await openIndex(directory, record, { files, checkpointIntervalMs: 100, timers });
    timers.advance(50);
    feed(record, index, 10, () => failures(60));
    // While events go on arriving, checkpoints do not seal segments early: the last commit is in the states only.
    timers.advance(50);
    await waitFor('a checkpoint', () => index.lagEvents === 60);
    files.arm({ code: 'EIO', at: 0, times: Number.POSITIVE_INFINITY });
    await index.close();

    record.lose(1);
    const cursors: number[] = [];
    const beforeReplay = async (cursor: number) => void cursors.push(cursor);
    const reopened = await openIndex(directory, record, { beforeReplay });
    expect(reopened.faults).toMatchObject([{ code: 'INDEX_UNUSABLE' }]);
    expect(cursors).toEqual([record.commits.at(-1)?.receivedAtMicros, 0]);
    expectSame(await stateOf(reopened.index.content), await rebuiltState(record));
    await reopened.index.close();
  });

  it('that is found during a read is rebuilt at the next start', async () => {
    const { directory, record } = await closedIndex();
    const { index, faults } = await openIndex(directory, record);
    await truncate(await documentNamed(directory, /events\/0\/2-/), 50);
    const issue = index.content.issues.inOrder[300];
    if (issue === undefined) throw new Error('the issue is missing');
    const read = async () => {
      for await (const _ of eventsOf(index.content, issue));
    };
    const fault = await read().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!(fault instanceof Fault)) throw new Error('the torn segment was read');
    expect(fault.code).toBe('INDEX_UNUSABLE');
    expect(await index.recover(fault)).toBe(false);
    expect(await index.recover(fault)).toBe(false);
    expect(faults).toEqual([fault]);
    await expect(index.checkpoint()).rejects.toBe(fault);
    feed(record, index, 1, () => failures(3));
    await index.close();

    const again = await openIndex(directory, record);
    expect(again.replayed).toBe(3003);
    expectSame(await stateOf(again.index.content), await rebuiltState(record));
    await again.index.close();
  });

  it('does not replace earlier ones that were set aside', async () => {
    const { directory, record } = await closedIndex();
    await mkdir(join(directory, 'index.unusable-1'));
    await rm(await documentNamed(directory, manifest));
    const { index } = await openIndex(directory, record);
    await index.close();
    expect((await readdir(directory)).sort()).toEqual(['index', 'index.unusable-1', 'index.unusable-2']);
  });
});

describe('a checkpoint', () => {
  it('that fails is reported once and repeated later, while events are accepted', async () => {
    const directory = await temporaryFolder();
    const record = new MemoryRecord();
    const files = failingFiles(unsyncedFiles);
    const { index, faults } = await openIndex(directory, record, { files, checkpointIntervalMs: 2 });
    files.arm({ code: 'ENOSPC', at: 0, times: Number.POSITIVE_INFINITY });
    feed(record, index, 20, () => failures(100));
    await waitFor('several attempts', () => files.calls > 5);
    feed(record, index, 20, () => failures(100));
    expect(faults).toMatchObject([{ code: 'ENOSPC' }]);
    await expect(index.checkpoint()).rejects.toMatchObject({ code: 'ENOSPC' });

    files.arm();
    await waitFor('a checkpoint', () => index.lagEvents < 1000);
    await index.close();
    expect(faults.length).toBe(1);
    const again = await openIndex(directory, record);
    expect(again.replayed).toBe(0);
    expectSame(await stateOf(again.index.content), await rebuiltState(record));
    await again.index.close();
  });

  it('that fails at any step is repeated by a later one', async () => {
    const record = new MemoryRecord();
    feed(record, undefined, 1, () => failures(530));
    const expected = await rebuiltState(record);
    for (let at = 0; ; at += 1) {
      const disk = createMemoryDisk();
      const files = failingFiles(disk.files);
      const { index } = await openIndex(MEMORY_ROOT, record, { files });
      files.arm({ code: 'EIO', at, only: ['sync', 'rename', 'syncFolder'] });
      const failed = await index.checkpoint().then(
        () => false,
        () => true,
      );
      const hasFailed = failed || files.calls > at;
      files.arm();
      await index.close();
      const again = await openIndex(MEMORY_ROOT, record, { files: disk.files });
      expect([again.replayed, again.faults]).toEqual([0, []]);
      expectSame(await stateOf(again.index.content), expected);
      await again.index.close();
      if (!hasFailed) break;
    }
  });

  it('counts each event once if events arrive at every turn of the event loop', async () => {
    const directory = await temporaryFolder();
    const record = new MemoryRecord();
    const { index } = await openIndex(directory, record);
    feed(record, index, 2, () => failures(600));
    let isDone = false;
    const checkpoint = index.checkpoint().finally(() => {
      isDone = true;
    });
    while (!isDone) {
      feed(record, index, 1, () => [...failures(2), ...failures(2, 530)]);
      await turn();
    }
    await checkpoint;
    const lag = index.lagEvents;
    expect(lag).toBeGreaterThan(0);
    // Without a close, as after a kill.
    const again = await openIndex(directory, record);
    expect(again.replayed).toBe(lag);
    expectSame(await stateOf(again.index.content), await rebuiltState(record));
    await again.index.close();
  });

  it('writes no more than 150 bytes for each of 20,000 events over 2,000 issues', async () => {
    const directory = await temporaryFolder();
    const record = new MemoryRecord();
    const files = countingFiles(unsyncedFiles);
    const { index } = await openIndex(directory, record, { files, checkpointIntervalMs: 1 });
    for (let commit = 0; commit < 200; commit += 1) {
      feed(record, index, 1, () => failures(100, (commit * 100) % 2000));
      await turn();
    }
    await index.close();
    expect(index.content.issues.inOrder.length).toBe(2000);
    expect(files.bytesWritten / 20_000).toBeLessThan(150);
    const again = await openIndex(directory, record);
    expect([again.replayed, again.index.content.segments.events]).toEqual([0, 20_000]);
    await again.index.close();
  });
});

describe('an index in memory', () => {
  it('keeps the message short and lists bounded', async () => {
    const record = new MemoryRecord();
    const { index } = await openIndex(await temporaryFolder(), record);
    const [base] = failures(1);
    if (base === undefined) throw new Error('no payload');
    feed(record, index, 40, (commit) => [
      { ...base, message: `${'x'.repeat(511)}😀`, env: `env-${39 - commit}`, release: `v${commit}` },
    ]);
    const [issue] = index.content.issues.inOrder;
    expect(issue?.message).toBe('x'.repeat(511));
    expect(issue?.environments.length).toBe(32);
    expect(issue?.environments).toEqual([...(issue?.environments ?? [])].sort());
    expect(issue?.releases).toEqual(Array.from({ length: 32 }, (_, release) => `v${release + 8}`));
    await index.close();
  });

  it('counts the last 24 hours by event time, and forgets earlier hours', async () => {
    const record = new MemoryRecord();
    const { index } = await openIndex(await temporaryFolder(), record);
    const [base] = failures(1);
    if (base === undefined) throw new Error('no payload');
    const at = (timestamp: string) => feed(record, index, 1, () => [{ ...base, timestamp }]);
    at('2026-11-20T10:59:59Z'); // 24 hours before the current one: too old
    at('2026-11-20T11:00:00Z');
    at('2026-11-21T09:30:00Z');
    at('2026-11-21T09:45:00Z');
    at('2027-01-01T00:00:00Z'); // an event time ahead is clamped to the receipt
    at('not a time');
    const hour = Date.UTC(2026, 10, 21, 10) / 3_600_000;
    expect(index.content.issues.inOrder[0]?.hours).toEqual([hour - 23, 1, hour - 1, 2, hour, 2]);
    await index.close();
  });
});
