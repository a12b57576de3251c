import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoreFiles } from '../../../../core/storage/files/store-files.js';
import type { CommittedEvent } from '../../../../core/storage/record/commits/committed-event.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { unsyncedFiles } from '../../../helpers/unsynced-files.js';
import { TEN_O_CLOCK_MS } from '../ten-o-clock.js';
import { type Failure, failingFiles } from './failing-files.js';
import { createMemoryDisk, MEMORY_ROOT } from './memory-disk.js';
import { openRecord, replayAll, seenOf } from './open-record.js';
import { recordEvent, recordEvents } from './record-events.js';

const FOLDER = 'raw/production/api/shop/2026/11/21/10';
const HOUR_MS = 3_600_000;
/** FAULTLINE_EVERY_CALL=1 lets failures begin at every call; the default does so only for single failures in memory. */
const isEveryCall = process.env['FAULTLINE_EVERY_CALL'] !== undefined;

afterAll(removeTemporaryFolders);

interface TestFolder {
  readonly directory: string;
  readonly disk: StoreFiles;
}

const onRealDisk = async (): Promise<TestFolder> => ({ directory: await temporaryFolder(), disk: unsyncedFiles });
const inMemory = async (): Promise<TestFolder> => ({ directory: MEMORY_ROOT, disk: createMemoryDisk().files });

interface Run {
  /** Events that the writer acknowledged. */
  readonly acknowledged: readonly CommittedEvent[];
  readonly refusals: readonly unknown[];
  /** Calls that could have failed. */
  readonly calls: number;
}

/** Appends before, while and after something fails, over two partitions and an hour change. */
async function runWithFailure({ directory, disk }: TestFolder, failure: Failure | undefined): Promise<Run> {
  const files = failingFiles(disk);
  let now = TEN_O_CLOCK_MS;
  const { writer, commits } = await openRecord(directory, { files, nowMs: () => now, maxOpenPartitions: 1 });
  const results: PromiseSettledResult<readonly CommittedEvent[]>[] = [];
  const batch = (label: string) => [
    ...recordEvents(2, label),
    ...recordEvents(2, label, { service: 'web' }),
    recordEvent({ message: 'x'.repeat(1200) }),
  ];
  results.push(...(await Promise.allSettled([writer.append(batch('before'))])));
  files.arm(failure);
  results.push(...(await Promise.allSettled([writer.append(batch('first')), writer.append(batch('second'))])));
  now += HOUR_MS;
  results.push(...(await Promise.allSettled([writer.append(batch('next hour'))])));
  const { calls } = files;
  files.arm();
  results.push(...(await Promise.allSettled([writer.append(batch('after'))])));
  await writer.close();

  expect(results.at(-1)?.status).toBe('fulfilled');
  expect(files.openFiles).toBe(0);
  expect(files.resyncs).toBe(0);
  const acknowledged = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  expect(new Set(commits.flat())).toEqual(new Set(acknowledged));
  const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  return { acknowledged, refusals, calls };
}

function inArrivalOrder(events: readonly CommittedEvent[]): CommittedEvent[] {
  return events.toSorted(
    (a, b) =>
      a.receivedAtMicros - b.receivedAtMicros ||
      (a.partition.folder < b.partition.folder ? -1 : a.partition.folder > b.partition.folder ? 1 : a.line - b.line),
  );
}

describe('an append to a failing disk', () => {
  it.each([
    { code: 'ENOSPC', times: 1, createFolder: onRealDisk, step: 5 },
    { code: 'EIO', times: 1, createFolder: inMemory, step: 1 },
    { code: 'EIO', times: 2, createFolder: inMemory, step: 2 },
    { code: 'EIO', times: 4, createFolder: inMemory, step: 3 },
    { code: 'EIO', times: 30, createFolder: inMemory, step: 3 },
  ])('leaves nothing behind if any $times calls in a row fail with $code', async (failing) => {
    const { code, times, createFolder, step } = failing;
    const { calls } = await runWithFailure(await createFolder(), undefined);
    expect(calls).toBeGreaterThan(30);
    for (let at = 0; at < calls; at += isEveryCall ? 1 : step) {
      const { directory, disk } = await createFolder();
      const run = await runWithFailure({ directory, disk }, { code, at, times });
      for (const refusal of run.refusals) expect(refusal).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
      const expected = seenOf(inArrivalOrder(run.acknowledged));
      expect(await replayAll(directory, 0, disk)).toEqual(expected);
      // Reopening the folder does not adopt rejected events.
      const again = await openRecord(directory, { files: disk });
      expect(again.recovered).toMatchObject({ adoptedLines: 0, droppedCommits: 0, cutRawBytes: 0, cutCommitBytes: 0 });
      await again.writer.close();
      expect(await replayAll(directory, 0, disk)).toEqual(expected);
    }
  });

  it('names the cause in its message and as `cause`', async () => {
    const files = failingFiles(unsyncedFiles);
    const { writer } = await openRecord(await temporaryFolder(), { files });
    files.arm({ code: 'ENOSPC', only: ['write'], at: 0 });
    await expect(writer.append([recordEvent()])).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('ENOSPC'),
      cause: { code: 'ENOSPC' },
    });
    expect(writer.queuedBytes).toBe(0);
    await writer.close();
  });

  it('reports lines that cannot be cut at once, and cuts them before the next commit of any partition', async () => {
    const directory = await temporaryFolder();
    const files = failingFiles(unsyncedFiles);
    const { writer, faults } = await openRecord(directory, { files });
    await writer.append(recordEvents(2, 'kept'));
    const kept = await stat(join(directory, FOLDER, 'raw.ndjson'));
    files.arm({ code: 'EIO', only: ['sync', 'truncate'], at: 0, times: 6 });
    await expect(writer.append([recordEvent()])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(faults).toMatchObject([{ code: 'STORE_UNAVAILABLE', message: expect.stringContaining(FOLDER) }]);

    files.arm();
    await writer.append([recordEvent({ service: 'web' })]);

    expect((await stat(join(directory, FOLDER, 'raw.ndjson'))).size).toBe(kept.size);
    await writer.close();
    expect(await replayAll(directory)).toHaveLength(3);
  });

  it('stores nothing in any partition while refused lines of one cannot be cut, so that recovery finds them', async () => {
    const directory = await temporaryFolder();
    const files = failingFiles(unsyncedFiles);
    const { writer } = await openRecord(directory, { files });
    await writer.append(recordEvents(2, 'kept'));
    files.arm({ code: 'EIO', only: ['sync', 'truncate'], at: 0, times: Number.POSITIVE_INFINITY });
    await expect(writer.append([recordEvent()])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    files.arm({ code: 'EIO', only: ['truncate'], at: 0, times: Number.POSITIVE_INFINITY });
    await expect(writer.append([recordEvent({ service: 'web' })])).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryable: true,
    });

    // The refused line was only written in part when the process ended.
    const raw = await unsyncedFiles.open(join(directory, FOLDER, 'raw.ndjson'), 'write');
    await raw.write([Buffer.from('torn')], (await raw.size()) - 100);
    await raw.close();
    expect((await openRecord(directory)).recovered).toMatchObject({ droppedCommits: 1, damagedCommits: 0 });
    expect(await replayAll(directory)).toHaveLength(2);
  });

  it('cuts refused lines before it closes', async () => {
    const directory = await temporaryFolder();
    const files = failingFiles(unsyncedFiles);
    const { writer } = await openRecord(directory, { files });
    await writer.append(recordEvents(2, 'kept'));
    files.arm({ code: 'EIO', only: ['sync', 'truncate'], at: 0, times: 6 });
    await expect(writer.append([recordEvent()])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    files.arm();
    await writer.close();
    expect((await openRecord(directory)).recovered).toMatchObject({ adoptedLines: 0, cutRawBytes: 0 });
    expect(await replayAll(directory)).toHaveLength(2);
  });

  it('rolls back a batch of many records when its last write fails', async () => {
    const directory = await temporaryFolder();
    const files = failingFiles(unsyncedFiles);
    const { writer, commits } = await openRecord(directory, { files });
    await writer.append(recordEvents(2, 'kept'));
    files.arm({ code: 'ENOSPC', only: ['write'], at: 9 });
    const batch = recordEvents(3000, 'x'.repeat(1000));
    await expect(writer.append(batch)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    files.arm();
    expect(await replayAll(directory)).toHaveLength(2);
    expect((await writer.append(batch))[0]).toMatchObject({ line: 2 });
    await writer.close();
    expect(await replayAll(directory)).toEqual(seenOf(commits.flat()));
  });

  it('refuses to write to a file that another process has cut, and reports it', async () => {
    const directory = await temporaryFolder();
    let now = TEN_O_CLOCK_MS;
    const { writer } = await openRecord(directory, { maxOpenPartitions: 1, nowMs: () => now });
    await writer.append(recordEvents(3, 'stored'));
    await writer.append([recordEvent({ service: 'web' })]);
    const raw = await unsyncedFiles.open(join(directory, FOLDER, 'raw.ndjson'), 'write');
    await raw.truncate(10);
    await raw.close();
    await expect(writer.append([recordEvent()])).rejects.toMatchObject({ code: 'RECORD_MOVED', retryable: true });
    expect(await writer.append([recordEvent({ service: 'web' })])).toMatchObject([{ line: 1 }]);
    now += HOUR_MS;
    expect(await writer.append([recordEvent()])).toMatchObject([{ line: 0 }]);
    await writer.close();
  });
});
