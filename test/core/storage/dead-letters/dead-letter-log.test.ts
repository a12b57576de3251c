import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RejectedPayload } from '../../../../core/storage/dead-letters/dead-letter.js';
import { createDeadLetterMeter } from '../../../../core/storage/dead-letters/dead-letter-meter.js';
import type { StoreFiles } from '../../../../core/storage/files/store-files.js';
import { deadLettersOf } from '../../../helpers/dead-letters.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { unsyncedFiles } from '../../../helpers/unsynced-files.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { failingFiles } from '../record/failing-files.js';
import { TEN_O_CLOCK_MS } from '../ten-o-clock.js';
import { closeLogs, contentsOf, filesOf, HOUR_MS, openLog, recordsOf, rejection } from './log-under-test.js';

afterEach(closeLogs);
afterAll(removeTemporaryFolders);

const numbered = (from: number, count: number, size = 0): RejectedPayload[] =>
  Array.from({ length: count }, (_, index) => rejection(JSON.stringify([from + index, 'x'.repeat(size)])));

async function numbersOf(directory: string): Promise<number[]> {
  return (await contentsOf(directory)).map((content) => (Array.isArray(content) ? content[0] : Number.NaN));
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);

describe('rejected payloads', () => {
  it('are in the file of the UTC day of their rejection, in order', async () => {
    const directory = await temporaryFolder();
    let nowMs = Date.UTC(2026, 10, 21, 23, 59, 59, 999);
    const log = await openLog(directory, { nowMs: () => nowMs });
    await log.append('events', numbered(0, 3));
    await log.append('events/browser', numbered(3, 1));
    nowMs += 1;
    await log.append('events', numbered(4, 1));
    expect(await filesOf(directory)).toEqual(['2026/11/21/rejected.ndjson', '2026/11/22/rejected.ndjson']);
    expect(await numbersOf(directory)).toEqual(range(0, 5));
    expect((await recordsOf(directory)).map(({ receiver }) => receiver)).toEqual([
      'events',
      'events/browser',
      'events',
      'events',
      'events',
    ]);
  });

  it('continue in the same file after a restart', async () => {
    const directory = await temporaryFolder();
    const first = await openLog(directory);
    await first.append('events', numbered(0, 2));
    await first.close();
    await first.close();
    const second = await openLog(directory);
    await second.append('events', numbered(2, 2));
    expect(await numbersOf(directory)).toEqual(range(0, 4));
    expect(await filesOf(directory)).toEqual(['2026/11/21/rejected.ndjson']);
  });

  it('are counted as lost once the log is closed', async () => {
    const directory = await temporaryFolder();
    const log = await openLog(directory);
    await log.close();
    await log.append('events', numbered(0, 3));
    expect(log.lost).toBe(3);
  });

  it('that a crash left incomplete are cut off, and the others stay', async () => {
    const directory = await temporaryFolder();
    const first = await openLog(directory);
    await first.append('events', numbered(0, 2));
    await first.close();
    const path = join(directory, 'rejected/2026/11/21/rejected.ndjson');
    const whole = await readFile(path, 'utf8');
    for (const torn of [whole.slice(0, 30), 'x'.repeat(200_000)]) {
      await writeFile(path, whole + torn);
      expect(await numbersOf(directory)).toEqual([0, 1]);
      const log = await openLog(directory);
      await log.append('events', numbered(2, 1));
      await log.close();
      expect(await deadLettersOf(directory)).toHaveLength(3);
      expect(await numbersOf(directory)).toEqual([0, 1, 2]);
    }
  });

  it('are read despite damaged lines', async () => {
    const directory = await temporaryFolder();
    const log = await openLog(directory);
    await log.append('events', numbered(0, 1));
    const path = join(directory, 'rejected/2026/11/21/rejected.ndjson');
    const whole = await readFile(path, 'utf8');
    const both = whole.replace('"payload":', '"text":"t","payload":');
    const junk = ['', '{}', '\u0000\u0000', whole.slice(0, 40), 'y'.repeat(3_000_000), both.trim(), '[]'];
    await appendFile(path, `${junk.join('\n')}\n${whole}`);
    const isDamaged = (await deadLettersOf(directory)).map((record) => record === undefined);
    expect(isDamaged).toEqual([false, ...junk.map(() => true), false]);
  });

  it('are found next to foreign files, which stay', async () => {
    const directory = await temporaryFolder();
    const day = join(directory, 'rejected/2026/11/01');
    await mkdir(day, { recursive: true });
    await mkdir(join(directory, 'rejected/2026/02/31'), { recursive: true });
    for (const name of ['notes.txt', 'rejected-01.ndjson', 'rejected.ndjson.gz'])
      await writeFile(join(day, name), 'x\n');
    await writeFile(join(day, 'rejected.ndjson'), 'x\n');
    const log = await openLog(directory);
    await log.append('events', numbered(0, 1));
    expect(await filesOf(directory)).toEqual([
      '2026/11/01/notes.txt',
      '2026/11/01/rejected-01.ndjson',
      '2026/11/01/rejected.ndjson.gz',
      '2026/11/21/rejected.ndjson',
    ]);
  });
});

describe('the bound on age', () => {
  it('removes days that ended longer ago, with their empty folders', async () => {
    const directory = await temporaryFolder();
    const at = async (nowMs: number): Promise<void> => {
      const log = await openLog(directory, { nowMs: () => nowMs, bounds: { maxAgeMs: 24 * HOUR_MS, maxBytes: 1e6 } });
      await log.append('events', numbered(0, 1));
      await log.close();
    };
    await at(Date.UTC(2026, 9, 31, 12));
    await at(Date.UTC(2026, 10, 1, 0));
    await at(Date.UTC(2026, 10, 2, 0));
    expect(await filesOf(directory)).toHaveLength(3);
    await at(Date.UTC(2026, 10, 2, 0, 0, 1));
    expect(await filesOf(directory)).toEqual(['2026/11/01/rejected.ndjson', '2026/11/02/rejected.ndjson']);
    expect(await unsyncedFiles.list(join(directory, 'rejected/2026'))).toEqual([{ name: '11', kind: 'folder' }]);
  });

  it('removes nothing when it is 0', async () => {
    const directory = await temporaryFolder();
    for (const nowMs of [Date.UTC(2001, 0, 1), TEN_O_CLOCK_MS]) {
      const log = await openLog(directory, { nowMs: () => nowMs, bounds: { maxAgeMs: 0, maxBytes: 1e6 } });
      await log.append('events', numbered(0, 1));
      await log.close();
    }
    expect(await filesOf(directory)).toHaveLength(2);
  });
});

describe('the bound on size', () => {
  const maxBytes = 40_000;
  const bounds = { maxAgeMs: 0, maxBytes };

  it('holds during a flood, and the newest payloads are stored', async () => {
    const directory = await temporaryFolder();
    const meter = createDeadLetterMeter({ directory, files: unsyncedFiles });
    for (let round = 1; round <= 4; round += 1) {
      const log = await openLog(directory, { bounds });
      for (let from = round * 200 - 200; from < round * 200; from += 20) {
        await log.append('events', numbered(from, 20, 100));
      }
      await log.close();
      const kept = await numbersOf(directory);
      expect(kept).toEqual(range(round * 200 - kept.length, round * 200));
      const { bytes, records } = await meter();
      expect(bytes).toBeLessThanOrEqual(maxBytes);
      expect(bytes).toBeGreaterThan(maxBytes * 0.75);
      expect(records).toBe(kept.length);
      expect(log.lost).toBe(0);
    }
  });

  it('holds for one large batch', async () => {
    const directory = await temporaryFolder();
    const log = await openLog(directory, { bounds });
    await log.append('events', numbered(0, 1_000, 100));
    await log.close();
    const kept = await numbersOf(directory);
    expect(kept).toEqual(range(1_000 - kept.length, 1_000));
    expect((await createDeadLetterMeter({ directory, files: unsyncedFiles })()).bytes).toBeLessThanOrEqual(maxBytes);
  });

  it('removes the oldest days first, and continues the file numbers of a day after a restart', async () => {
    const directory = await temporaryFolder();
    let nowMs = TEN_O_CLOCK_MS - 24 * HOUR_MS;
    let log = await openLog(directory, { bounds, nowMs: () => nowMs });
    await log.append('events', numbered(0, 40, 100));
    nowMs = TEN_O_CLOCK_MS;
    await log.append('events', numbered(40, 40, 100));
    await log.close();
    const before = await filesOf(directory);
    log = await openLog(directory, { bounds, nowMs: () => nowMs });
    await log.append('events', numbered(80, 150, 100));
    await log.close();
    const after = await filesOf(directory);
    expect(before.filter((path) => path.startsWith('2026/11/20')).length).toBeGreaterThan(0);
    expect(after.filter((path) => path.startsWith('2026/11/20'))).toEqual([]);
    const kept = await numbersOf(directory);
    expect(kept).toEqual(range(230 - kept.length, 230));
  });

  it('applies at once after it was lowered', async () => {
    const directory = await temporaryFolder();
    const log = await openLog(directory, { bounds });
    await log.append('events', numbered(0, 150, 100));
    await log.close();
    await openLog(directory, { bounds: { maxAgeMs: 0, maxBytes: 12_000 } });
    const kept = await numbersOf(directory);
    expect(kept.length).toBeGreaterThan(0);
    expect(kept).toEqual(range(150 - kept.length, 150));
    expect((await createDeadLetterMeter({ directory, files: unsyncedFiles })()).bytes).toBeLessThanOrEqual(12_000);
  });

  it('loses one record that exceeds it, and stores the others', async () => {
    const directory = await temporaryFolder();
    const log = await openLog(directory, { bounds });
    await log.append('events', [
      ...numbered(0, 1),
      ...numbered(1, 1, 50_000),
      ...numbered(2, 1, 30_000),
      ...numbered(3, 1),
    ]);
    expect(await numbersOf(directory)).toEqual([0, 2, 3]);
    expect(log.lost).toBe(1);
  });

  it('stores nothing and counts nothing as lost when it is 0', async () => {
    const directory = await temporaryFolder();
    const before = await openLog(directory);
    await before.append('events', numbered(0, 1));
    await before.close();
    const log = await openLog(directory, { bounds: { maxAgeMs: 0, maxBytes: 0 } });
    await log.append('events', numbered(1, 1));
    expect(await recordsOf(directory)).toEqual([]);
    expect(log.lost).toBe(0);
  });

  it('still holds when the clock goes back to a day that is older than the others', async () => {
    const directory = await temporaryFolder();
    let nowMs = TEN_O_CLOCK_MS;
    const log = await openLog(directory, { bounds, nowMs: () => nowMs });
    await log.append('events', numbered(0, 100, 100));
    nowMs -= 48 * HOUR_MS;
    await log.append('events', numbered(100, 300, 100));
    await log.close();
    expect((await createDeadLetterMeter({ directory, files: unsyncedFiles })()).bytes).toBeLessThanOrEqual(maxBytes);
    expect(await numbersOf(directory)).toContain(399);
    expect(log.lost).toBe(0);
  });
});

describe('a disk that refuses', () => {
  it.each(['open', 'write', 'folder'] as const)(
    'at %s loses records, reports it once, and stores later ones',
    async (only) => {
      const directory = await temporaryFolder();
      const files = failingFiles(unsyncedFiles);
      const faults: Error[] = [];
      const log = await openLog(directory, { files, onFault: (fault) => faults.push(fault) });
      files.arm({ code: 'ENOSPC', only: [only], at: 0, times: 2 });
      await log.append('events', numbered(0, 2));
      await log.append('events', numbered(2, 3));
      expect(log.lost).toBe(5);
      expect(faults).toMatchObject([{ code: 'REJECTED_UNAVAILABLE', retryable: true }]);
      await log.append('events', numbered(5, 2));
      expect(await deadLettersOf(directory)).toHaveLength(2);
      expect(await numbersOf(directory)).toEqual([5, 6]);
      files.arm({ code: 'ENOSPC', only: ['write'], at: 0 });
      await log.append('events', numbered(7, 1));
      expect(faults).toHaveLength(2);
      expect(log.lost).toBe(6);
      await log.close();
      expect(files.openFiles).toBe(0);
    },
  );

  it('at a sync is reported, and the handle is not synced again', async () => {
    const directory = await temporaryFolder();
    const files = failingFiles(unsyncedFiles);
    const faults: Error[] = [];
    const log = await openLog(directory, { files, onFault: (fault) => faults.push(fault) });
    await log.append('events', numbered(0, 2));
    files.arm({ code: 'EIO', only: ['sync'], at: 0 });
    await log.close();
    expect(faults).toMatchObject([{ code: 'REJECTED_UNAVAILABLE' }]);
    expect([files.resyncs, files.openFiles]).toEqual([0, 0]);
    expect(await numbersOf(directory)).toEqual([0, 1]);
  });

  it('at the removal of old files loses the payloads that do not fit', async () => {
    const directory = await temporaryFolder();
    const files = failingFiles(unsyncedFiles);
    const log = await openLog(directory, { files, bounds: { maxAgeMs: 0, maxBytes: 10_000 } });
    await log.append('events', numbered(0, 30, 100));
    files.arm({ code: 'EIO', only: ['unlink'], at: 0, times: 1_000 });
    await log.append('events', numbered(30, 100, 100));
    await waitFor('something to be lost', () => log.lost > 0);
    files.arm();
    await log.append('events', numbered(130, 1));
    await log.close();
    expect((await numbersOf(directory)).at(-1)).toBe(130);
  });

  it('at listing the folder does not make opening fail', async () => {
    const directory = await temporaryFolder();
    let isBroken = true;
    const files: StoreFiles = {
      ...unsyncedFiles,
      list: async (folder) => {
        if (isBroken) throw Object.assign(new Error('EIO: list'), { code: 'EIO' });
        return await unsyncedFiles.list(folder);
      },
    };
    const faults: Error[] = [];
    const log = await openLog(directory, { files, onFault: (fault) => faults.push(fault) });
    await log.append('events', numbered(0, 1));
    expect([log.lost, faults.length]).toEqual([1, 1]);
    isBroken = false;
    await log.append('events', numbered(1, 1));
    expect(await numbersOf(directory)).toEqual([1]);
  });

  it('and never responds delays callers only briefly: the queue is bounded, the rest is lost', async () => {
    const directory = await temporaryFolder();
    let goOn = (): void => undefined;
    const hang = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const files: StoreFiles = {
      ...unsyncedFiles,
      open: async (path, mode) => {
        await hang;
        return await unsyncedFiles.open(path, mode);
      },
    };
    const log = await openLog(directory, { files, maxQueuedBytes: 10_000, maxWaitMs: 1 });
    for (let from = 0; from < 300; from += 100) await log.append('events', numbered(from, 100, 100));
    expect(log.lost).toBeGreaterThan(200);
    goOn();
    await log.close();
    const kept = await numbersOf(directory);
    expect(kept).toEqual(range(0, kept.length));
    expect(kept.length + log.lost).toBe(300);
  });
});

describe('another program in the folder', () => {
  it('that empties it gets new rejections in a new file', async () => {
    const directory = await temporaryFolder();
    const log = await openLog(directory, { syncIntervalMs: 1 });
    await log.append('events', numbered(0, 1));
    await rm(join(directory, 'rejected'), { recursive: true });
    const kept = await waitFor('a rejection to be found', async () => {
      await log.append('events', numbered(1, 1));
      return (await numbersOf(directory))[0];
    });
    expect(kept).toBe(1);
    expect(await filesOf(directory)).toEqual(['2026/11/21/rejected.ndjson']);
  });

  it('that truncates the file costs one batch, and the next is stored', async () => {
    const directory = await temporaryFolder();
    const files = failingFiles(unsyncedFiles);
    const log = await openLog(directory, { files });
    await log.append('events', numbered(0, 2));
    files.arm({ code: 'EIO', only: ['write'], at: 0 });
    await writeFile(join(directory, 'rejected/2026/11/21/rejected.ndjson'), '');
    await log.append('events', numbered(2, 1));
    await log.append('events', numbered(3, 1));
    await log.append('events', numbered(4, 1));
    expect((await numbersOf(directory)).at(-1)).toBe(4);
    expect(log.lost).toBeLessThanOrEqual(2);
  });
});

describe('counting dead letters', () => {
  it('reads each byte once, also of files that grow, disappear or are truncated', async () => {
    const directory = await temporaryFolder();
    let readBytes = 0;
    const files: StoreFiles = {
      ...unsyncedFiles,
      open: async (path, mode) => {
        const file = await unsyncedFiles.open(path, mode);
        const read = async (position: number, bytes: number): Promise<Buffer> => {
          readBytes += bytes;
          return await file.read(position, bytes);
        };
        return {
          read,
          size: () => file.size(),
          close: () => file.close(),
          write: () => Promise.reject(),
          sync: () => Promise.reject(),
          truncate: () => Promise.reject(),
          tryLock: () => Promise.reject(),
          identity: () => file.identity(),
        };
      },
    };
    const meter = createDeadLetterMeter({ directory, files });
    expect(await meter()).toEqual({ records: 0, bytes: 0, lost: 0 });
    const log = await openLog(directory);
    await log.append('events', numbered(0, 10));
    const [first, again] = await Promise.all([meter(), meter()]);
    expect(again).toEqual(first);
    expect(first.records).toBe(10);
    expect(readBytes).toBe(first.bytes);
    await log.append('events', numbered(10, 5));
    expect((await meter()).records).toBe(15);
    expect(readBytes).toBe((await meter()).bytes);
    await log.close();
    await writeFile(join(directory, 'rejected/2026/11/21/rejected.ndjson'), 'x\n');
    expect(await meter()).toEqual({ records: 1, bytes: 2, lost: 0 });
    await rm(join(directory, 'rejected'), { recursive: true });
    expect(await meter()).toEqual({ records: 0, bytes: 0, lost: 0 });
  });
});
