import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32c } from '@node-rs/crc32';
import fc from 'fast-check';
import type { FingerprintValue } from '../../../../../core/event/ids.js';
import { parseCommitRecord } from '../../../../../core/storage/record/commits/commit-record.js';
import type { CommittedEvent } from '../../../../../core/storage/record/commits/committed-event.js';
import { createEventIds } from '../../../../../core/storage/record/partitions/event-id.js';
import { partitionOf } from '../../../../../core/storage/record/partitions/partition-path.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../../helpers/temporary-folder.js';
import { unsyncedFiles } from '../../../../helpers/unsynced-files.js';
import { TEN_O_CLOCK_MS } from '../../ten-o-clock.js';
import { collidingServices } from '../colliding-services.js';
import { failingFiles } from '../failing-files.js';
import { openRecord, replayAll, seenOf, withReader } from '../open-record.js';
import { lineOf, recordEvent, recordEvents } from '../record-events.js';

const HOUR_MS = 3_600_000;
const FOLDER = 'raw/production/api/shop/2026/11/21/10';

afterAll(removeTemporaryFolders);

async function linesOf(directory: string, folder: string, name: string): Promise<string[]> {
  const text = await readFile(join(directory, folder, name), 'utf8');
  expect(text.endsWith('\n') || text === '').toBe(true);
  return text.split('\n').slice(0, -1);
}

function hex(checksum: number): string {
  return checksum.toString(16).padStart(8, '0');
}

describe('append', () => {
  it('stores the fingerprint of each line, in records of at most 1024 lines of one version', async () => {
    const directory = await temporaryFolder();
    const { writer } = await openRecord(directory);
    const events = recordEvents(2500, 'e').map((event, index) => {
      const value = index.toString(16).padStart(32, '0') as FingerprintValue;
      return { ...event, fingerprint: { ...event.fingerprint, value, version: index < 2200 ? 1 : 2 } };
    });
    await writer.append(events);
    await writer.close();
    const records = (await linesOf(directory, FOLDER, 'commits.ndjson')).map(parseCommitRecord);
    expect(records.map((record) => record?.lines)).toEqual([1024, 1024, 152, 300]);
    const stored = await withReader(directory, async (reader) => {
      const all: unknown[] = [];
      for await (const { events: lines } of reader.replay({ afterMicros: 0 })) {
        all.push(...lines.map(({ fingerprint }) => fingerprint));
      }
      return all;
    });
    expect(stored).toEqual(events.map(({ fingerprint: { value, version } }) => ({ value, version })));
  });

  it('writes the raw line and its commit record before it resolves', async () => {
    const directory = await temporaryFolder();
    const { writer } = await openRecord(directory);
    const event = recordEvent();

    const [committed] = await writer.append([event]);

    const line = lineOf(event);
    const receivedAtMicros = TEN_O_CLOCK_MS * 1000;
    const partition = partitionOf({ env: 'production', service: 'api', app: 'shop' }, TEN_O_CLOCK_MS / HOUR_MS);
    const eventId = createEventIds(partition, receivedAtMicros)(0);
    expect(committed).toEqual({ eventId, event, partition, line: 0, offset: 0, bytes: line.length, receivedAtMicros });
    expect(await linesOf(directory, FOLDER, 'raw.ndjson')).toEqual([line.toString('utf8')]);
    const checksum = crc32c(Buffer.concat([line, Buffer.from('\n')]));
    const values = '0'.repeat(32);
    const fingerprints = `{"version":1,"values":"${values}","crc32c":"${hex(crc32c(`1:${values}`))}"}`;
    expect(await linesOf(directory, FOLDER, 'commits.ndjson')).toEqual([
      `{"line":0,"lines":1,"offset":0,"bytes":${line.length + 1},"received_at":"2026-11-21T10:00:00.000000Z","crc32c":"${hex(checksum)}","fingerprints":${fingerprints}}`,
    ]);
    await writer.close();
  });

  it('stores the encoded bytes of an event unchanged', async () => {
    const directory = await temporaryFolder();
    const { writer } = await openRecord(directory);
    const encoded = Buffer.from(' {"any":"bytes"}\r');
    await writer.append([recordEvent({}, new Uint8Array(encoded))]);
    expect(await readFile(join(directory, FOLDER, 'raw.ndjson'))).toEqual(Buffer.from(' {"any":"bytes"}\r\n'));
    await writer.close();
  });

  it.each([
    ['holds a newline', '{"a":\n1}'],
    ['ends in a newline', '{}\n'],
    ['is empty', ''],
  ])('refuses bytes whose line %s, and goes on', async (_, text) => {
    const directory = await temporaryFolder();
    const { writer } = await openRecord(directory);
    const batch = [recordEvent(), recordEvent({}, Buffer.from(text))];
    await expect(writer.append(batch)).rejects.toMatchObject({ code: 'RAW_LINE_INVALID', retryable: false });
    expect(writer.queuedBytes).toBe(0);
    expect(await writer.append([recordEvent()])).toMatchObject([{ line: 0 }]);
    await writer.close();
  });

  it('returns an empty list for an empty batch', async () => {
    const { writer } = await openRecord(await temporaryFolder());
    expect(await writer.append([], { batchId: 'm' })).toEqual([]);
    await writer.close();
  });

  it('returns events in the order given, over many partitions of one timestamp', async () => {
    const directory = await temporaryFolder();
    const { writer, commits } = await openRecord(directory, { maxOpenPartitions: 2 });
    const names = Array.from({ length: 60 }, (_, index) => `service ${(index * 7) % 20}`);
    const batch = names.map((service, index) => recordEvent({ service, message: `${index}` }));

    const committed = await writer.append(batch);

    expect(committed.map(({ event }) => event)).toEqual(batch);
    expect(new Set(committed.map(({ receivedAtMicros }) => receivedAtMicros)).size).toBe(1);
    expect(new Set(committed.map(({ eventId }) => eventId)).size).toBe(60);
    expect(commits).toHaveLength(1);
    expect(await replayAll(directory)).toEqual(seenOf(commits.flat()));
    await writer.close();
  });

  it('calls `onCommitted` in commit order, before the appends resolve', async () => {
    const directory = await temporaryFolder();
    const { writer, commits } = await openRecord(directory);
    const appends = Array.from({ length: 30 }, async (_, index) => {
      const [committed] = await writer.append([recordEvent({ message: `${index}` })]);
      expect(commits.flat()).toContain(committed);
      return committed?.line;
    });
    // Lines are in the order of the calls.
    expect(await Promise.all(appends)).toEqual(appends.map((_, index) => index));
    const instants = commits.map((events) => events[0]?.receivedAtMicros ?? 0);
    expect(instants).toEqual(instants.toSorted((a, b) => a - b));
    expect(new Set(instants).size).toBe(instants.length);
    // What arrived during the sync of the first commit shares the second.
    expect(commits.map((events) => events.length)).toEqual([1, 29]);
    await writer.close();
  });

  it('shares commits up to 1,000 events', async () => {
    const { writer, commits } = await openRecord(await temporaryFolder());
    await Promise.all(Array.from({ length: 8 }, (_, index) => writer.append(recordEvents(300, `${index}`))));
    expect(commits.map((events) => events.length)).toEqual([300, 900, 900, 300]);
    await writer.close();
  });

  it('commits a long batch alone, with a record for every mebibyte', async () => {
    const directory = await temporaryFolder();
    const { writer, commits } = await openRecord(directory);
    const batch = recordEvents(3000, 'x'.repeat(1000));
    const [small, long] = await Promise.all([
      writer.append([recordEvent()]),
      writer.append(batch, { batchId: 'long' }),
    ]);

    expect([small.length, long.length]).toEqual([1, 3000]);
    expect(commits.map((events) => events.length)).toEqual([1, 3000]);
    const records = (await linesOf(directory, FOLDER, 'commits.ndjson')).map((line) => JSON.parse(line));
    expect(records).toHaveLength(1 + 5);
    for (const record of records) expect(record.bytes).toBeLessThanOrEqual(1024 * 1024);
    expect(new Set(records.map((record) => record.received_at)).size).toBe(2);
    expect(await replayAll(directory)).toEqual(seenOf(commits.flat()));
    await writer.close();
  });

  it('accepts a line that is longer than the limit of a record', async () => {
    const directory = await temporaryFolder();
    const { writer } = await openRecord(directory);
    const message = 'x'.repeat(3 * 1024 * 1024);
    await writer.append([
      recordEvent({ message: 'before' }),
      recordEvent({ message }),
      recordEvent({ message: 'after' }),
    ]);
    const lines = await withReader(directory, async (reader) => {
      const partition = partitionOf({ env: 'production', service: 'api', app: 'shop' }, TEN_O_CLOCK_MS / HOUR_MS);
      return [await reader.readLine(partition, 1), await reader.readLine(partition, 2)];
    });
    expect(lines.map((line) => JSON.parse(line?.toString() ?? '').message)).toEqual([message, 'after']);
    await writer.close();
  });

  it('yields to the event loop while a long batch is encoded', async () => {
    const { writer } = await openRecord(await temporaryFolder());
    const order: string[] = [];
    await Promise.all([
      writer.append(recordEvents(2000, 'x'.repeat(500))).then(() => order.push('long')),
      writer.append([recordEvent()]).then(() => order.push('short')),
    ]);
    expect(order).toEqual(['short', 'long']);
    await writer.close();
  });

  it('moves to the next hour with appends in flight', async () => {
    const directory = await temporaryFolder();
    let now = TEN_O_CLOCK_MS + HOUR_MS - 40;
    const files = failingFiles(unsyncedFiles);
    const { writer, commits } = await openRecord(directory, { files, nowMs: () => now });
    const appends: Promise<readonly CommittedEvent[]>[] = [];
    for (let index = 0; index < 80; index += 1) {
      appends.push(writer.append(recordEvents(2, `${index}`, { service: index % 2 === 0 ? 'api' : 'web' })));
      now += 1;
      if (index % 3 === 0) await Promise.all(appends);
    }
    const answered = (await Promise.all(appends)).flat();

    const hours = new Set(answered.map(({ partition }) => partition.hour));
    expect(hours).toEqual(new Set([TEN_O_CLOCK_MS / HOUR_MS, TEN_O_CLOCK_MS / HOUR_MS + 1]));
    for (const { partition, receivedAtMicros } of answered) {
      expect(Math.floor(receivedAtMicros / 1000 / HOUR_MS)).toBe(partition.hour);
    }
    expect(files.openFiles).toBe(4);
    expect(await replayAll(directory)).toEqual(seenOf(commits.flat()));
    expect(seenOf(answered).map(({ text }) => text)).toHaveLength(160);
    await writer.close();
    expect(files.openFiles).toBe(0);
  });

  it('continues in the same partition after it was opened again', async () => {
    const directory = await temporaryFolder();
    const first = await openRecord(directory);
    await first.writer.append(recordEvents(3, 'first'));
    await first.writer.close();
    const second = await openRecord(directory);
    expect(second.recovered.lastReceivedAtMicros).toBe(TEN_O_CLOCK_MS * 1000);
    expect(await second.writer.append(recordEvents(2, 'second'))).toMatchObject([
      { line: 3, receivedAtMicros: TEN_O_CLOCK_MS * 1000 + 1 },
      { line: 4 },
    ]);
    await second.writer.close();
    expect(await replayAll(directory)).toEqual(seenOf([...first.commits.flat(), ...second.commits.flat()]));
  });

  it.each(['../../etc', 'a/b', '.', '..', 'n'.repeat(300), '\0', '🔥', '', '~', '\ud800'])(
    'keeps events of the name %j within its own folder',
    async (name) => {
      const directory = await temporaryFolder();
      const { writer } = await openRecord(directory);
      const [committed] = await writer.append([recordEvent({ env: name, service: name, app: name })]);
      expect(committed?.partition.folder.split('/')).toHaveLength(8);
      const partitions = await withReader(directory, (reader) => reader.partitions());
      expect(partitions).toEqual([committed?.partition]);
      expect((await unsyncedFiles.list(directory)).map((entry) => entry.name)).toEqual(['raw']);
      const [seen] = await replayAll(directory);
      const stored = name.toWellFormed();
      expect(JSON.parse(seen?.text ?? '')).toMatchObject({ env: stored, service: stored, app: stored });
      await writer.close();
    },
  );

  it('separates partitions whose hashes collide', async () => {
    const directory = await temporaryFolder();
    const { writer, commits } = await openRecord(directory);
    const [one, other] = collidingServices();
    const batch = [recordEvent({ service: one }), recordEvent({ service: other }), recordEvent({ service: 'third' })];

    const committed = await writer.append(batch);

    expect(committed[0]?.partition.hash).toBe(committed[1]?.partition.hash);
    expect(new Set(committed.map(({ eventId }) => eventId)).size).toBe(3);
    expect(commits.map((events) => events.length)).toEqual([2, 1]);
    expect(await replayAll(directory)).toEqual(seenOf(commits.flat()));
    await withReader(directory, async (reader) => {
      for (const { eventId, partition } of committed) expect(await reader.partitionOfId(eventId)).toEqual(partition);
    });
    await writer.close();
  });

  it('refuses a batch for a full partition and accepts others in the same commit', async () => {
    const directory = await temporaryFolder();
    let now = TEN_O_CLOCK_MS;
    const { writer } = await openRecord(directory, { maxPartitionLines: 3, nowMs: () => now });
    await writer.append(recordEvents(2, 'fits'));
    const results = await Promise.allSettled([
      writer.append([recordEvent({ service: 'web' })]),
      writer.append(recordEvents(2, 'too many')),
      writer.append([recordEvent({ service: 'web' })]),
      writer.append(recordEvents(1, 'fits')),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: { code: 'STORE_PARTITION_FULL', retryable: true } });
    now += HOUR_MS;
    expect(await writer.append(recordEvents(2, 'next hour'))).toMatchObject([{ line: 0 }, { line: 1 }]);
    await writer.close();
    expect(await replayAll(directory)).toHaveLength(7);
  });

  it('refuses what exceeds the queue, and accepts it later', async () => {
    const { writer } = await openRecord(await temporaryFolder(), { maxQueuedBytes: 10_000 });
    const large = recordEvents(40, 'large');
    const running = [writer.append(large), writer.append([recordEvent()])];
    await expect(running[1]).rejects.toMatchObject({ code: 'STORE_OVERLOADED', retryable: true });
    expect(await running[0]).toHaveLength(40);
    expect(writer.queuedBytes).toBe(0);
    expect(await writer.append([recordEvent()])).toHaveLength(1);
    await writer.close();
  });

  it.each(['', 'm'.repeat(201)])('refuses the batch id %j', async (batchId) => {
    const { writer } = await openRecord(await temporaryFolder());
    await expect(writer.append([recordEvent()], { batchId })).rejects.toMatchObject({ code: 'MARK_INVALID' });
    await writer.close();
  });

  it('syncs nothing per append under `os`, and everything when it is flushed or closed', async () => {
    const directory = await temporaryFolder();
    const files = failingFiles(unsyncedFiles);
    const { writer, commits } = await openRecord(directory, { files, durability: 'os' });
    files.arm({ code: 'EIO', only: ['sync', 'syncFolder'], at: 0, times: 1000 });
    await writer.append(recordEvents(3, 'x'));
    expect(files.calls).toBe(0);
    files.arm();
    await writer.flush();
    const { calls } = files;
    await writer.flush();
    expect(files.calls).toBe(calls);
    await writer.append(recordEvents(3, 'y'));
    files.arm();
    await writer.close();
    expect(files.calls).toBe(2);
    expect(await replayAll(directory)).toEqual(seenOf(commits.flat()));
  });

  it('reports a listener that throws, and still resolves the append', async () => {
    const directory = await temporaryFolder();
    const onCommitted = (): void => {
      throw new TypeError('not a function');
    };
    const { writer, faults } = await openRecord(directory, { onCommitted });
    expect(await writer.append([recordEvent()])).toHaveLength(1);
    expect(faults).toMatchObject([{ code: 'STORE_LISTENER_FAILED', cause: expect.any(TypeError) }]);
    await writer.close();
  });

  it('holds every event of random batches in random hours', async () => {
    const batch = fc.record({
      names: fc.array(fc.constantFrom('a', 'b', '../c', ''), { minLength: 1, maxLength: 6 }),
      advanceMs: fc.constantFrom(0, 0, 1, -5, 20 * 60_000),
      waits: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 15 }), async (batches) => {
        const directory = await temporaryFolder();
        let now = TEN_O_CLOCK_MS;
        const { writer, commits } = await openRecord(directory, { nowMs: () => now, maxOpenPartitions: 2 });
        const appends = [];
        for (const { names, advanceMs, waits } of batches) {
          now += advanceMs;
          appends.push(writer.append(names.map((app) => recordEvent({ app, message: `${appends.length}` }))));
          if (waits) await appends.at(-1);
        }
        const answered = (await Promise.all(appends)).flat();
        await writer.close();

        expect(new Set(answered)).toEqual(new Set(commits.flat()));
        expect(await replayAll(directory)).toEqual(seenOf(commits.flat()));
        const ids = commits.map((events) => events.map(({ eventId }) => eventId));
        for (let index = 1; index < ids.length; index += 1) {
          const earlier = ids[index - 1]?.toSorted().at(-1) ?? '';
          expect(earlier < (ids[index]?.toSorted()[0] ?? '')).toBe(true);
        }
      }),
    );
  });
});

describe('close', () => {
  it('waits for running appends, refuses new ones and is idempotent', async () => {
    const directory = await temporaryFolder();
    const files = failingFiles(unsyncedFiles);
    const { writer, commits } = await openRecord(directory, { files });
    const running = [writer.append(recordEvents(2000, 'x'.repeat(300))), writer.append([recordEvent()])];
    const closed = [writer.close(), writer.close()];
    await expect(writer.append([recordEvent()])).rejects.toMatchObject({ code: 'STORE_CLOSING', retryable: true });
    expect((await Promise.all(running)).map((events) => events.length)).toEqual([2000, 1]);
    await Promise.all(closed);
    expect(files.openFiles).toBe(0);
    expect(await replayAll(directory)).toEqual(seenOf(commits.flat()));
  });

  it('works without an append', async () => {
    const { writer } = await openRecord(await temporaryFolder());
    await writer.close();
    await writer.close();
  });
});
