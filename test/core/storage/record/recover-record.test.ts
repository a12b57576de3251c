import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import type { StoreFiles } from '../../../../core/storage/files/store-files.js';
import { writeFileDurably } from '../../../../core/storage/files/write-durably.js';
import type { CommittedEvent } from '../../../../core/storage/record/commits/committed-event.js';
import { createEventIds } from '../../../../core/storage/record/partitions/event-id.js';
import { recoverRecord } from '../../../../core/storage/record/recover-record.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { unsyncedFiles } from '../../../helpers/unsynced-files.js';
import { TEN_O_CLOCK_MS } from '../ten-o-clock.js';
import { failingFiles } from './failing-files.js';
import { createMemoryDisk, MEMORY_ROOT } from './memory-disk.js';
import { openRecord, replayAll, type SeenLine, seenOf, withReader } from './open-record.js';
import { lineOf, recordEvent, recordEvents } from './record-events.js';

const HOUR_MS = 3_600_000;
const HOUR_MICROS = HOUR_MS * 1000;
const TEN_MICROS = TEN_O_CLOCK_MS * 1000;
const FOLDER = 'raw/production/api/shop/2026/11/21/10';
const SMALL = { stack: null, tags: {}, extra: null };

afterAll(removeTemporaryFolders);

interface Written {
  readonly directory: string;
  readonly commits: readonly (readonly CommittedEvent[])[];
}

/** A record of one partition with commits of two lines each. */
async function writtenRecord(labels: readonly string[]): Promise<Written> {
  const directory = await temporaryFolder();
  const { writer, commits } = await openRecord(directory);
  for (const label of labels) await writer.append(recordEvents(2, label, SMALL));
  await writer.close();
  return { directory, commits };
}

const pathOf = (directory: string, name: string, folder = FOLDER): string => join(directory, folder, name);

async function sizeOf(path: string): Promise<number> {
  return (await unsyncedFiles.stat(path))?.bytes ?? 0;
}

async function salvaged(directory: string): Promise<Record<string, string>> {
  const folder = join(directory, 'salvage');
  const names = await readdir(folder).catch(() => []);
  const entries = names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(entries));
}

const messages = (lines: readonly SeenLine[]): string[] =>
  lines.map(({ text }) => /"message":"([^"]*)"/.exec(text)?.[1] ?? text);

async function expectSettled(directory: string): Promise<void> {
  const again = await recoverRecord({ directory, files: unsyncedFiles, afterMicros: 0 });
  expect(again).toMatchObject({ adoptedLines: 0, droppedCommits: 0, cutRawBytes: 0, cutCommitBytes: 0 });
}

describe('recovery of a last commit that was cut short', () => {
  interface TwoCommits {
    readonly commits: readonly (readonly CommittedEvent[])[];
    readonly raw: Buffer;
    readonly records: Buffer;
    /** Bytes of the first commit in either file. */
    readonly firstRaw: number;
    readonly firstRecord: number;
  }

  async function twoCommits(): Promise<TwoCommits> {
    const { directory, commits } = await writtenRecord(['a', 'b']);
    const raw = await readFile(pathOf(directory, 'raw.ndjson'));
    const records = await readFile(pathOf(directory, 'commits.ndjson'));
    return { commits, raw, records, firstRaw: commits[1]?.[0]?.offset ?? 0, firstRecord: records.indexOf('\n') + 1 };
  }

  /** Cuts both files at the given lengths, recovers, appends, and checks the invariants. */
  async function check(
    { commits, raw, records }: TwoCommits,
    [rawBytes, recordBytes]: readonly [number, number],
    { directory, files }: { directory: string; files: StoreFiles },
  ): Promise<void> {
    await files.makeFolder(join(directory, FOLDER));
    await writeFileDurably(files, pathOf(directory, 'raw.ndjson'), raw.subarray(0, rawBytes));
    await writeFileDurably(files, pathOf(directory, 'commits.ndjson'), records.subarray(0, recordBytes));

    const { writer, faults, recovered } = await openRecord(directory, { files });
    const [added] = await writer.append([recordEvent({ ...SMALL, message: 'added' })]);
    await writer.close();

    expect(faults).toEqual([]);
    const seen = await replayAll(directory, 0, files);
    const [durable = [], last = []] = commits;
    // First the acknowledged lines, then the complete lines of the last commit, then the appended ones.
    expect(seen.slice(0, 2)).toEqual(seenOf(durable));
    const wholeLines = last.filter(({ offset, bytes }) => offset + bytes < rawBytes).length;
    const expected = ['a 0', 'a 1', ...['b 0', 'b 1'].slice(0, wholeLines), 'added'];
    expect(messages(seen)).toEqual(expected);
    expect(seen.map(({ line }) => line)).toEqual(expected.map((_, line) => line));
    expect(added?.line).toBe(expected.length - 1);
    expect(recovered.adoptedLines).toBe(wholeLines === 2 && recordBytes === records.length ? 0 : wholeLines);
    const again = await recoverRecord({ directory, files, afterMicros: 0 });
    expect(again).toMatchObject({ adoptedLines: 0, droppedCommits: 0, cutRawBytes: 0, cutCommitBytes: 0 });
  }

  const inMemory = () => ({ directory: MEMORY_ROOT, files: createMemoryDisk().files });

  /** Tests all lengths that end within this many bytes of the start or end of a line. */
  const NEAR_AN_END = 2;
  /** And every n-th in between. FAULTLINE_EVERY_CALL=1 tests all of them. */
  const STEP = process.env['FAULTLINE_EVERY_CALL'] === undefined ? 60 : 1;

  function* lengthsOf(file: Buffer, from: number): Generator<number> {
    for (let bytes = from; bytes <= file.length; bytes += 1) {
      const isNearAnEnd = file.subarray(Math.max(0, bytes - NEAR_AN_END), bytes + NEAR_AN_END).includes('\n');
      if (isNearAnEnd || (bytes - from) % STEP === 0) yield bytes;
    }
  }

  it('keeps what was acknowledged at any length of the raw file', async () => {
    const two = await twoCommits();
    for (const bytes of lengthsOf(two.raw, two.firstRaw)) await check(two, [bytes, two.records.length], inMemory());
  });

  it('keeps what was acknowledged at any length of the commit file', async () => {
    const two = await twoCommits();
    for (const bytes of lengthsOf(two.records, two.firstRecord)) await check(two, [two.raw.length, bytes], inMemory());
  });

  it('keeps what was acknowledged at any lengths of both', async () => {
    const two = await twoCommits();
    const lengths = fc.tuple(
      fc.integer({ min: two.firstRaw, max: two.raw.length }),
      fc.integer({ min: two.firstRecord, max: two.records.length }),
    );
    await fc.assert(fc.asyncProperty(lengths, (both) => check(two, both, inMemory())));
  });
});

describe('recovery', () => {
  it('copies what it cuts, byte for byte, and counts it', async () => {
    const { directory, commits } = await writtenRecord(['a']);
    const rawEnd = await sizeOf(pathOf(directory, 'raw.ndjson'));
    const commitEnd = await sizeOf(pathOf(directory, 'commits.ndjson'));
    await writeFile(pathOf(directory, 'raw.ndjson'), 'no payload\n{"torn', { flag: 'a' });
    await writeFile(pathOf(directory, 'commits.ndjson'), '{"line":2,"li', { flag: 'a' });

    const { recovered } = await openRecord(directory);

    expect(recovered).toMatchObject({
      partitions: 1,
      lastReceivedAtMicros: TEN_MICROS,
      adoptedLines: 0,
      droppedCommits: 0,
      damagedCommits: 0,
      cutRawBytes: 17,
      cutCommitBytes: 13,
    });
    const name = FOLDER.replaceAll('/', '%2F');
    expect(await salvaged(directory)).toEqual({
      [`${name}%2Fraw.ndjson-${rawEnd}.bin`]: 'no payload\n{"torn',
      [`${name}%2Fcommits.ndjson-${commitEnd}.bin`]: '{"line":2,"li',
    });
    expect(await replayAll(directory)).toEqual(seenOf(commits.flat()));
    await expectSettled(directory);
  });

  it('never overwrites an earlier copy, and shortens long names', async () => {
    const directory = await temporaryFolder();
    const { writer } = await openRecord(directory);
    const name = 'ü'.repeat(300);
    const [committed] = await writer.append([recordEvent({ app: name, env: name, service: name })]);
    await writer.close();
    const raw = pathOf(directory, 'raw.ndjson', committed?.partition.folder);
    for (const torn of ['one', 'two', 'three']) {
      await writeFile(raw, torn, { flag: 'a' });
      await openRecord(directory);
    }
    const copies = await salvaged(directory);
    expect(Object.values(copies).sort()).toEqual(['one', 'three', 'two']);
    for (const copy of Object.keys(copies)) expect(Buffer.byteLength(copy)).toBeLessThanOrEqual(255);
  });

  it('adopts whole payloads after the last commit, with the newest timestamp', async () => {
    const { directory } = await writtenRecord(['a']);
    const lines = ['b 0', 'b 1'].map((message) => lineOf(recordEvent({ message })));
    for (const line of lines) await writeFile(pathOf(directory, 'raw.ndjson'), `${line}\n`, { flag: 'a' });

    const { recovered } = await openRecord(directory);

    expect(recovered).toMatchObject({ adoptedLines: 2, lastReceivedAtMicros: TEN_MICROS + 1, cutRawBytes: 0 });
    const seen = await replayAll(directory, TEN_MICROS);
    expect(seen).toMatchObject([
      { line: 2, receivedAtMicros: TEN_MICROS + 1, text: lines[0]?.toString() },
      { line: 3, receivedAtMicros: TEN_MICROS + 1, text: lines[1]?.toString() },
    ]);
    await withReader(directory, async (reader) => {
      const [partition] = await reader.partitions();
      if (partition === undefined) throw new Error('no partition');
      const eventId = createEventIds(partition, TEN_MICROS + 1)(3);
      expect(await reader.partitionOfId(eventId)).toEqual(partition);
    });
  });

  it('adopts long tails in records of a mebibyte', async () => {
    const { directory } = await writtenRecord(['a']);
    const line = lineOf(recordEvent({ message: 'x'.repeat(100_000) }));
    await writeFile(pathOf(directory, 'raw.ndjson'), `${line}\n`.repeat(25), { flag: 'a' });
    expect((await openRecord(directory)).recovered.adoptedLines).toBe(25);
    const records = (await readFile(pathOf(directory, 'commits.ndjson'), 'utf8')).trim().split('\n');
    expect(records.map((text) => JSON.parse(text).lines)).toEqual([2, 10, 10, 5]);
    expect(await replayAll(directory)).toHaveLength(27);
  });

  it('does not adopt a payload of another partition, or what follows it', async () => {
    const { directory } = await writtenRecord(['a']);
    const foreign = lineOf(recordEvent({ service: 'web' }));
    const own = lineOf(recordEvent({ message: 'own' }));
    await writeFile(pathOf(directory, 'raw.ndjson'), `${own}\n${foreign}\n${own}\n`, { flag: 'a' });
    const { recovered } = await openRecord(directory);
    expect(recovered).toMatchObject({ adoptedLines: 1, cutRawBytes: foreign.length + own.length + 2 });
    expect(messages(await replayAll(directory))).toEqual(['a 0', 'a 1', 'own']);
  });

  it('gives adopted lines a timestamp in the hour of their partition and after the cursor, or does not adopt them', async () => {
    const { directory } = await writtenRecord(['a']);
    const line = lineOf(recordEvent());
    const later = await openRecord(directory, { nowMs: () => TEN_O_CLOCK_MS + HOUR_MS });
    await later.writer.append([recordEvent({ message: 'later' })]);
    await later.writer.close();
    await writeFile(pathOf(directory, 'raw.ndjson'), `${line}\n`, { flag: 'a' });
    const copy = await temporaryFolder();
    await cp(directory, copy, { recursive: true });
    const endOfHour = TEN_MICROS + HOUR_MICROS - 1;

    await openRecord(directory);
    expect((await replayAll(directory)).map(({ receivedAtMicros }) => receivedAtMicros)).toEqual([
      TEN_MICROS,
      TEN_MICROS,
      endOfHour,
      TEN_MICROS + HOUR_MICROS,
    ]);

    const { recovered } = await openRecord(copy, { afterMicros: endOfHour });
    expect(recovered).toMatchObject({ adoptedLines: 0, cutRawBytes: line.length + 1 });
    expect(Object.keys(await salvaged(copy))).toHaveLength(1);
  });

  it('makes commit records for a raw file without them', async () => {
    const { directory } = await writtenRecord(['a', 'b']);
    await rm(pathOf(directory, 'commits.ndjson'));
    expect((await openRecord(directory)).recovered.adoptedLines).toBe(4);
    expect(messages(await replayAll(directory))).toEqual(['a 0', 'a 1', 'b 0', 'b 1']);
  });

  it('drops the commit records of a missing raw file, and reports the loss', async () => {
    const { directory } = await writtenRecord(['a', 'b']);
    const other = await openRecord(directory, { nowMs: () => TEN_O_CLOCK_MS + 1000 });
    await other.writer.append([recordEvent({ service: 'web' })]);
    await other.writer.close();
    await rm(pathOf(directory, 'raw.ndjson'));
    const { recovered, faults, writer } = await openRecord(directory);
    expect(recovered).toMatchObject({ droppedCommits: 2, damagedCommits: 2, adoptedLines: 0 });
    expect(faults).toMatchObject([{ code: 'RECORD_DAMAGED', message: expect.stringContaining('Lines 0 to 3') }]);
    expect(await writer.append([recordEvent({ message: 'new' })])).toMatchObject([{ line: 0, offset: 0 }]);
    await writer.close();
    expect(Object.keys(await salvaged(directory))).toHaveLength(1);
  });

  it('does not change a commit whose bytes changed after it was stored', async () => {
    const { directory, commits } = await writtenRecord(['a', 'b']);
    const later = await openRecord(directory, { nowMs: () => TEN_O_CLOCK_MS + 1000 });
    await later.writer.append([recordEvent({ service: 'web' })]);
    await later.writer.close();
    const raw = await unsyncedFiles.open(pathOf(directory, 'raw.ndjson'), 'write');
    await raw.write([Buffer.from('!')], (commits[1]?.[0]?.offset ?? 0) + 5);
    await raw.close();
    const before = await sizeOf(pathOf(directory, 'raw.ndjson'));
    const { recovered } = await openRecord(directory);
    expect(recovered).toMatchObject({ droppedCommits: 0, cutRawBytes: 0, adoptedLines: 0 });
    expect(await sizeOf(pathOf(directory, 'raw.ndjson'))).toBe(before);
    await expect(replayAll(directory)).rejects.toMatchObject({ code: 'RECORD_DAMAGED' });
  });

  it('inspects only the hours from the cursor on', async () => {
    const directory = await temporaryFolder();
    let now = TEN_O_CLOCK_MS;
    const { writer } = await openRecord(directory, { nowMs: () => now });
    for (let hour = 0; hour < 5; hour += 1) {
      await writer.append([recordEvent(), recordEvent({ service: 'web' })]);
      now += HOUR_MS;
    }
    await writer.close();
    await writeFile(pathOf(directory, 'raw.ndjson'), 'torn', { flag: 'a' });
    const files = failingFiles(unsyncedFiles);
    const afterMicros = TEN_MICROS + 4 * HOUR_MICROS;
    const clean = await recoverRecord({ directory, files, afterMicros });
    expect(clean).toMatchObject({ partitions: 2, cutRawBytes: 0, lastReceivedAtMicros: afterMicros });
    // After a clean stop nothing is written.
    expect(files.calls).toBe(0);
    expect(await recoverRecord({ directory, files, afterMicros: 0 })).toMatchObject({ partitions: 10, cutRawBytes: 4 });
  });

  it('accepts a missing folder, a folder without partitions, and empty files', async () => {
    const directory = join(await temporaryFolder(), 'absent');
    const nothing = await recoverRecord({ directory, files: unsyncedFiles, afterMicros: 7 });
    expect(nothing).toMatchObject({ partitions: 0, lastReceivedAtMicros: 7 });
    await unsyncedFiles.makeFolder(join(directory, FOLDER));
    await writeFile(pathOf(directory, 'raw.ndjson'), '');
    const { writer, recovered } = await openRecord(directory);
    expect(recovered).toMatchObject({ partitions: 1, cutRawBytes: 0 });
    expect(await writer.append([recordEvent()])).toMatchObject([{ line: 0 }]);
    await writer.close();
  });

  it('ignores a timestamp outside of its hour', async () => {
    const { directory } = await writtenRecord(['a']);
    const commits = pathOf(directory, 'commits.ndjson');
    await writeFile(commits, (await readFile(commits, 'utf8')).replace('2026', '2126'));
    expect((await openRecord(directory)).recovered.lastReceivedAtMicros).toBe(0);
  });

  it('reports a failing disk, and can be repeated', async () => {
    const { directory } = await writtenRecord(['a']);
    await writeFile(pathOf(directory, 'raw.ndjson'), 'torn', { flag: 'a' });
    const files = failingFiles(unsyncedFiles);
    for (let at = 0; ; at += 1) {
      files.arm({ code: 'ENOSPC', at, times: Number.POSITIVE_INFINITY });
      const attempt = await recoverRecord({ directory, files, afterMicros: 0 }).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (attempt === undefined) break;
      expect(attempt).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
      expect(files.openFiles).toBe(0);
    }
    expect(files.calls).toBeGreaterThan(5);
    expect(Object.values(await salvaged(directory))).toEqual(['torn']);
    expect(messages(await replayAll(directory))).toEqual(['a 0', 'a 1']);
    await expectSettled(directory);
  });
});
