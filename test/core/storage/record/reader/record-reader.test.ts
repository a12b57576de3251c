import { rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Fault } from '../../../../../core/event/fault.js';
import { toEventId } from '../../../../../core/event/ids.js';
import type { CommittedEvent } from '../../../../../core/storage/record/commits/committed-event.js';
import { partitionOf } from '../../../../../core/storage/record/partitions/partition-path.js';
import type { FoundBatch } from '../../../../../core/storage/record/reader/record-reader.js';
import { openRecordReader, type RecordReader } from '../../../../../core/storage/record/reader/record-reader.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../../helpers/temporary-folder.js';
import { unsyncedFiles } from '../../../../helpers/unsynced-files.js';
import { TEN_O_CLOCK_MS } from '../../ten-o-clock.js';
import { failingFiles } from '../failing-files.js';
import { openRecord, replayAll, seenOf, withReader } from '../open-record.js';
import { lineOf, recordEvent, recordEvents } from '../record-events.js';

const HOUR_MS = 3_600_000;
const FOLDER = 'raw/production/api/shop/2026/11/21/10';

afterAll(removeTemporaryFolders);

async function batchesOf(reader: RecordReader, prefix: string): Promise<FoundBatch[]> {
  const batches: FoundBatch[] = [];
  for await (const batch of reader.findBatches(prefix)) batches.push(batch);
  return batches;
}

/** Three services over three hours, in commits of one to four events. */
async function filledRecord(): Promise<{ directory: string; events: readonly CommittedEvent[] }> {
  const directory = await temporaryFolder();
  let now = TEN_O_CLOCK_MS;
  const { writer, commits } = await openRecord(directory, { nowMs: () => now });
  for (let index = 0; index < 60; index += 1) {
    const services = ['api', 'web', 'jobs', 'api'].slice(0, (index % 4) + 1);
    await writer.append(services.map((service) => recordEvent({ service, message: `${index}` })));
    now += 3 * 60_000;
  }
  await writer.close();
  return { directory, events: commits.flat() };
}

/** Replays and collects the reported faults. */
async function replayWithDamage(
  directory: string,
): Promise<{ lines: string[]; isGrouped: boolean[]; damage: Fault[] }> {
  return await withReader(directory, async (reader) => {
    const damage: Fault[] = [];
    const lines: string[] = [];
    const isGrouped: boolean[] = [];
    for await (const { events } of reader.replay({ afterMicros: 0, onDamage: (fault) => damage.push(fault) })) {
      for (const { rawLine, line, fingerprint } of events) {
        isGrouped.push(fingerprint !== undefined);
        const message = /"message":"([^"]*)"/.exec(rawLine.toString('utf8'))?.[1] ?? '?';
        lines.push(`${line} ${message}`);
      }
    }
    return { lines, isGrouped, damage };
  });
}

async function overwrite(path: string, offset: number, text: string): Promise<void> {
  const file = await unsyncedFiles.open(path, 'write');
  await file.write([Buffer.from(text)], offset);
  await file.close();
}

describe('readLine and readAt', () => {
  it('return every event, by line and by offset', async () => {
    const { directory, events } = await filledRecord();
    await withReader(directory, async (reader) => {
      for (const { event, partition, line, offset, bytes } of events) {
        const expected = lineOf(event);
        expect(await reader.readLine(partition, line)).toEqual(expected);
        expect(await reader.readAt(partition, offset, bytes)).toEqual(expected);
      }
    });
  });

  it('find a line among thousands of commits, in any order, with few files open', async () => {
    const directory = await temporaryFolder();
    const { writer } = await openRecord(directory, { durability: 'os' });
    for (let index = 0; index < 300; index += 1) await writer.append(recordEvents(5, `${index}`));
    await writer.close();
    const files = failingFiles(unsyncedFiles);
    const reader = await openRecordReader({ directory, files, maxOpenFiles: 1 });
    const partition = partitionOf({ env: 'production', service: 'api', app: 'shop' }, TEN_O_CLOCK_MS / HOUR_MS);
    await fc.assert(
      fc.asyncProperty(fc.nat(1499), async (line) => {
        const found = await reader.readLine(partition, line);
        expect(JSON.parse(found?.toString() ?? '')).toMatchObject({ message: `${Math.floor(line / 5)} ${line % 5}` });
      }),
    );
    expect(await reader.readLine(partition, 1500)).toBeUndefined();
    expect(files.openFiles).toBeLessThanOrEqual(1);
    await reader.close();
    await reader.close();
    expect(files.openFiles).toBe(0);
    await expect(reader.readLine(partition, 0)).rejects.toMatchObject({ code: 'READER_CLOSED' });
  });

  it('return undefined for what does not exist', async () => {
    const { directory, events } = await filledRecord();
    const [first] = events;
    if (first === undefined) throw new Error('the record is empty');
    const nowhere = partitionOf({ env: 'nowhere', service: 'api', app: 'shop' }, first.partition.hour);
    await withReader(directory, async (reader) => {
      expect(await reader.readLine(first.partition, 1_000_000)).toBeUndefined();
      expect(await reader.readLine(nowhere, 0)).toBeUndefined();
      expect(await reader.readAt(nowhere, 0, 10)).toBeUndefined();
      expect(await reader.readAt(first.partition, 0, 1_000_000)).toBeUndefined();
      // A partition that retention removes while its files are open.
      await reader.readLine(first.partition, 0);
      await rm(join(directory, first.partition.folder), { recursive: true });
    });
    await withReader(directory, async (reader) => {
      expect(await reader.readLine(first.partition, 0)).toBeUndefined();
    });
  });

  it('refuse a line whose bytes were changed or cut', async () => {
    const directory = await temporaryFolder();
    const { writer } = await openRecord(directory);
    const [one, two] = await writer.append(recordEvents(2, 'x'));
    const [three] = await writer.append(recordEvents(1, 'y'));
    await writer.close();
    if (one === undefined || two === undefined || three === undefined) throw new Error('nothing was stored');
    await overwrite(join(directory, FOLDER, 'raw.ndjson'), 20, '!');
    await truncate(join(directory, FOLDER, 'raw.ndjson'), three.offset + 5);
    await withReader(directory, async (reader) => {
      for (const { partition, line } of [one, two, three]) {
        await expect(reader.readLine(partition, line)).rejects.toMatchObject({ code: 'RECORD_DAMAGED' });
      }
    });
  });
});

describe('partitionOfId', () => {
  it('finds the partition of every id, even of partitions created after the first call', async () => {
    const { directory, events } = await filledRecord();
    await withReader(directory, async (reader) => {
      for (const { eventId, partition } of events) expect(await reader.partitionOfId(eventId)).toEqual(partition);
      const { writer } = await openRecord(directory);
      for (const service of ['new', 'newer', 'api']) {
        const [committed] = await writer.append([recordEvent({ service })]);
        if (committed === undefined) throw new Error('nothing was stored');
        expect(await reader.partitionOfId(committed.eventId)).toEqual(committed.partition);
      }
      await writer.close();
    });
  });

  it('finds nothing for an id that differs from one of the record in a digit', async () => {
    const { directory, events } = await filledRecord();
    const id = events[5]?.eventId ?? '';
    const others = [...id].map((digit, at) => `${id.slice(0, at)}${digit === '3' ? '4' : '3'}${id.slice(at + 1)}`);
    const otherIds = others.map(toEventId).filter((other) => other !== undefined);
    expect(otherIds).toHaveLength(32);
    await withReader(directory, async (reader) => {
      for (const other of otherIds) expect(await reader.partitionOfId(other)).toBeUndefined();
    });
  });
});

describe('partitions', () => {
  it('lists hours in order and skips names outside of the layout', async () => {
    const { directory, events } = await filledRecord();
    const strays = ['raw/notes.txt', 'raw/production/api/shop/2026/11/21/note', 'raw/production/api/shop/2026/x'];
    for (const stray of strays) await writeFile(join(directory, stray), 'x');
    await unsyncedFiles.makeFolder(join(directory, 'raw/production/api/shop/2026/13/01/00'));
    await unsyncedFiles.makeFolder(join(directory, 'raw/production/api/shop/tmp/11/21/10'));
    const found = await withReader(directory, (reader) => reader.partitions());
    const expected = new Map(events.map(({ partition }) => [partition.folder, partition]));
    expect(found).toEqual([...expected.values()].sort((a, b) => a.hour - b.hour || (a.folder < b.folder ? -1 : 1)));
  });

  it('returns an empty list for an empty or missing folder', async () => {
    const directory = join(await temporaryFolder(), 'absent');
    expect(await withReader(directory, (reader) => reader.partitions())).toEqual([]);
    expect(await replayAll(directory)).toEqual([]);
  });
});

describe('replay', () => {
  it('yields everything after a timestamp in order of arrival', async () => {
    const { directory, events } = await filledRecord();
    expect(await replayAll(directory)).toEqual(seenOf(events));
    const instants = [...new Set(events.map(({ receivedAtMicros }) => receivedAtMicros))];
    for (const instant of [instants[0] ?? 0, instants[17] ?? 0, instants.at(-1) ?? 0]) {
      const later = events.filter(({ receivedAtMicros }) => receivedAtMicros > instant);
      expect(await replayAll(directory, instant)).toEqual(seenOf(later));
      expect(await replayAll(directory, instant - 1)).toEqual(
        seenOf(events.filter(({ receivedAtMicros }) => receivedAtMicros >= instant)),
      );
    }
  });

  it('yields everything of one timestamp together', async () => {
    const directory = await temporaryFolder();
    const { writer } = await openRecord(directory);
    const names = ['a', 'b', 'c'];
    await writer.append(names.flatMap((service) => recordEvents(900, 'x'.repeat(500), { service })));
    await writer.append([recordEvent()]);
    const sizes = await withReader(directory, async (reader) => {
      const items: number[] = [];
      for await (const { events } of reader.replay({ afterMicros: 0 })) items.push(events.length);
      return items;
    });
    expect(sizes).toEqual([2700, 1]);
    await writer.close();
  });

  it('merges more partitions of an hour than it keeps open', async () => {
    const directory = await temporaryFolder();
    const { writer, commits } = await openRecord(directory, { durability: 'os' });
    for (let round = 0; round < 4; round += 1) {
      for (let index = 0; index < 90; index += 3) {
        await writer.append([index, index + 1, index + 2].map((at) => recordEvent({ service: `s${at}` })));
      }
    }
    await writer.close();
    expect(await replayAll(directory)).toEqual(seenOf(commits.flat()));
  });

  it('ends without a fault if the last commit is still being written', async () => {
    const { directory, events } = await filledRecord();
    const last = events.at(-1);
    if (last === undefined) throw new Error('the record is empty');
    await truncate(join(directory, last.partition.folder, 'raw.ndjson'), last.offset + 3);
    const torn = events.filter(({ partition, line }) => partition !== last.partition || line < last.line);
    const { damage } = await replayWithDamage(directory);
    expect(damage).toEqual([]);
    const seen = await replayAll(directory);
    // The commit's lines in this partition are left out together.
    expect(seen.length).toBeLessThanOrEqual(torn.length);
    expect(seenOf(torn)).toEqual(expect.arrayContaining(seen));
    expect(torn.length - seen.length).toBeLessThan(2);
  });

  describe('of a record that was changed', () => {
    async function threeCommits(): Promise<{ directory: string; raw: string; commits: string; offsets: number[] }> {
      const directory = await temporaryFolder();
      const { writer } = await openRecord(directory);
      const offsets: number[] = [];
      for (const label of ['a', 'b', 'c']) {
        const stored = await writer.append(recordEvents(2, label));
        offsets.push(stored[0]?.offset ?? -1);
      }
      await writer.close();
      const path = (name: string): string => join(directory, FOLDER, name);
      return { directory, raw: path('raw.ndjson'), commits: path('commits.ndjson'), offsets };
    }

    it('reports a commit whose bytes differ, and yields its lines unchanged', async () => {
      const { directory, raw, offsets } = await threeCommits();
      await overwrite(raw, (offsets[1] ?? 0) + 8, 'XXXX');
      const { lines, damage } = await replayWithDamage(directory);
      expect(lines).toEqual(['0 a 0', '1 a 1', '2 b 0', '3 b 1', '4 c 0', '5 c 1']);
      expect(damage).toMatchObject([{ code: 'RECORD_DAMAGED', message: expect.stringContaining('Lines 2 to 3') }]);
    });

    it('reports a commit whose lines cannot be separated, and continues after it', async () => {
      const { directory, raw, offsets } = await threeCommits();
      await overwrite(raw, (offsets[1] ?? 0) + 8, '\n');
      const { lines, damage } = await replayWithDamage(directory);
      expect(lines).toEqual(['0 a 0', '1 a 1', '4 c 0', '5 c 1']);
      expect(damage.map(({ message }) => message)).toEqual([
        expect.stringContaining('checksum'),
        expect.stringContaining('separated'),
      ]);
    });

    it('reports bytes that are missing before the last commit', async () => {
      const { directory, raw, offsets } = await threeCommits();
      await truncate(raw, (offsets[1] ?? 0) + 8);
      const { lines, damage } = await replayWithDamage(directory);
      expect(lines).toEqual(['0 a 0', '1 a 1']);
      expect(damage).toMatchObject([{ code: 'RECORD_DAMAGED', message: expect.stringContaining('cut off') }]);
    });

    it('reports a commit record that is lost', async () => {
      const { directory, commits } = await threeCommits();
      const length = ((await unsyncedFiles.stat(commits))?.bytes ?? 0) / 3;
      await overwrite(commits, length + 1, '!!!!');
      const { lines, damage } = await replayWithDamage(directory);
      expect(lines).toEqual(['0 a 0', '1 a 1', '4 c 0', '5 c 1']);
      expect(damage).toMatchObject([
        { code: 'RECORD_DAMAGED', message: expect.stringContaining('do not follow line 1') },
      ]);
    });

    it.each([
      ['more bytes than any file has', /"bytes":\d+/, '"bytes":9007199254740991', 'more bytes than a commit can hold'],
      ['other lines than there are', /"lines":2/, '"lines":1', 'separated'],
    ])('reports a record that says %s, and goes on behind it', async (_, said, says, what) => {
      const { directory, commits } = await threeCommits();
      const records = (await unsyncedFiles.readFile(commits))?.toString('utf8').split('\n') ?? [];
      await writeFile(commits, records.map((text, at) => (at === 1 ? text.replace(said, says) : text)).join('\n'));
      const { lines, damage } = await replayWithDamage(directory);
      expect(lines).toEqual(['0 a 0', '1 a 1', '4 c 0', '5 c 1']);
      expect(damage).toMatchObject([{ message: expect.stringContaining(what) }, { code: 'RECORD_DAMAGED' }]);
      // Recovery does not treat the commits after it as lost.
      await writeFile(join(directory, FOLDER, 'raw.ndjson'), 'torn', { flag: 'a' });
      const { recovered } = await openRecord(directory, { afterMicros: TEN_O_CLOCK_MS * 1000 + 2 });
      expect(recovered).toMatchObject({ droppedCommits: 0, adoptedLines: 0, cutRawBytes: 4 });
    });

    it('reports fingerprints that were changed, and yields the lines without them', async () => {
      const { directory, commits } = await threeCommits();
      const text = (await unsyncedFiles.readFile(commits))?.toString('utf8') ?? '';
      // Fingerprints that are invalid JSON must not lose the record.
      for (const changed of ['1', '"', '\u0010']) {
        await writeFile(commits, text.replace('"values":"0', `"values":"${changed}`));
        const { lines, damage, isGrouped } = await replayWithDamage(directory);
        expect(lines).toEqual(['0 a 0', '1 a 1', '2 b 0', '3 b 1', '4 c 0', '5 c 1']);
        expect(damage).toMatchObject([{ code: 'RECORD_DAMAGED', message: expect.stringContaining('grouped again') }]);
        expect(isGrouped).toEqual([false, false, true, true, true, true]);
      }
    });

    it('skips what follows missing bytes', async () => {
      const { directory, raw, offsets } = await threeCommits();
      await truncate(raw, (offsets[1] ?? 0) + 8);
      const { lines, damage } = await replayWithDamage(directory);
      expect(lines).toEqual(['0 a 0', '1 a 1']);
      expect(damage).toMatchObject([{ code: 'RECORD_DAMAGED', message: expect.stringContaining('cut off') }]);
    });

    it('reports a commit record that is missing, and lines that lost their fingerprints', async () => {
      const { directory, commits: path } = await threeCommits();
      const records = (await unsyncedFiles.readFile(path))?.toString('utf8').split('\n') ?? [];
      const damaged = records[2]?.replace('"values":"', '"values":"f') ?? '';
      await writeFile(path, [records[0], '!', damaged, ''].join('\n'));
      const { damage } = await replayWithDamage(directory);
      expect(damage.map(({ message }) => message)).toEqual([
        expect.stringContaining('do not follow line 1'),
        expect.stringContaining('grouped again'),
      ]);
    });

    it('reports a timestamp outside of the hour and skips the record', async () => {
      const { directory, commits } = await threeCommits();
      const records = (await unsyncedFiles.readFile(commits))?.toString('utf8').split('\n') ?? [];
      await writeFile(commits, records.map((text, at) => (at === 2 ? text.replace('2026', '2126') : text)).join('\n'));
      const { lines, damage } = await replayWithDamage(directory);
      expect(lines).toEqual(['0 a 0', '1 a 1', '2 b 0', '3 b 1']);
      expect(damage).toMatchObject([
        { code: 'RECORD_DAMAGED', message: expect.stringContaining('outside their hour') },
      ]);
    });
  });
});

describe('findBatches', () => {
  it('returns the number of lines of a batch, by partition and record', async () => {
    const directory = await temporaryFolder();
    const { writer } = await openRecord(directory);
    const mixed = [...recordEvents(2, 'x'), recordEvent({ service: 'web' }), ...recordEvents(1, 'x')];
    await Promise.all([
      writer.append(recordEvents(3, 'first'), { batchId: 'import/1' }),
      writer.append(mixed, { batchId: 'import/2' }),
      writer.append(recordEvents(5, 'unmarked')),
      writer.append(recordEvents(2, 'other'), { batchId: 'other "\n" 🔥' }),
    ]);
    await writer.append(recordEvents(1, 'x'), { batchId: 'import/2' });
    await writer.close();
    await withReader(directory, async (reader) => {
      const found = await batchesOf(reader, 'import/');
      expect(
        found.map(({ batchId, lines, firstLine, partition }) => [batchId, lines, firstLine, partition.folder]),
      ).toEqual([
        ['import/1', 3, 0, FOLDER],
        ['import/2', 3, 3, FOLDER],
        ['import/2', 1, 13, FOLDER],
        ['import/2', 1, 0, FOLDER.replace('/api/', '/web/')],
      ]);
      expect(await batchesOf(reader, 'other')).toMatchObject([{ batchId: 'other "\n" 🔥', lines: 2 }]);
      expect(await batchesOf(reader, 'nothing')).toEqual([]);
    });
  });

  it('stores the id of each of many small batches', async () => {
    const directory = await temporaryFolder();
    const { writer } = await openRecord(directory);
    await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        writer.append([recordEvent()], { batchId: `${'🔥'.repeat(90)}${index}` }),
      ),
    );
    await writer.close();
    const found = await withReader(directory, (reader) => batchesOf(reader, '🔥'));
    expect(found.map(({ batchId }) => Number(batchId.slice(180)))).toEqual(
      Array.from({ length: 100 }, (_, index) => index),
    );
    expect(await replayAll(directory)).toHaveLength(100);
  });
});
