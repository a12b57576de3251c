import { setImmediate as turn } from 'node:timers/promises';
import { MemoryRecord } from '../../core/storage/index/memory-record.js';
import { failures, feed, openIndex } from '../../core/storage/index/open-index.js';
import { createMemoryDisk, MEMORY_ROOT } from '../../core/storage/record/memory-disk.js';
import { ManualTimers } from '../../helpers/manual-timers.js';
import { waitFor } from '../../helpers/wait-for.js';

/** Lets work go on that needs no timer. */
async function turns(count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) await turn();
}

describe('an index under load', () => {
  it('begins a checkpoint after 100,000 events, without a timer', async () => {
    const record = new MemoryRecord();
    const { index } = await openIndex(MEMORY_ROOT, record, {
      files: createMemoryDisk().files,
      timers: new ManualTimers(),
    });
    const payloads = failures(20);
    const thousand = Array.from({ length: 50 }, () => payloads).flat();
    feed(record, index, 100, () => thousand);
    await turns(50);
    expect(index.lagEvents).toBe(100_000);
    feed(record, index, 1, () => thousand);
    await waitFor('a checkpoint', () => index.lagEvents < 5_000);
    await index.close();
  });
});

describe('a process that is killed after each start', () => {
  it('replays less at each start when it is killed during the replay of a long record', async () => {
    let disk = createMemoryDisk();
    const record = new MemoryRecord();
    const payloads = failures(20);
    const thousand = Array.from({ length: 50 }, () => payloads).flat();
    feed(record, undefined, 50, () => thousand);
    const left: number[] = [];
    for (let life = 0; life < 3; life += 1) {
      let seen = 0;
      const stop = new AbortController();
      const power = disk;
      const options = {
        files: disk.files,
        timers: new ManualTimers(),
        record: {
          partitionOfId: record.partitionOfId.bind(record),
          readLine: record.readLine.bind(record),
          async *replay(from: { afterMicros: number }) {
            for await (const commit of record.replay(from)) {
              seen += 1;
              // Killed in the middle, with a disk that is about as fast as the replay.
              if (seen === 20) {
                disk = power.kill();
                stop.abort();
              }
              await turns(5);
              yield commit;
            }
          },
        },
        signal: stop.signal,
      };
      await expect(openIndex(MEMORY_ROOT, record, options)).rejects.toMatchObject({ code: 'STORE_CLOSING' });
      const { replayed } = await openIndex(MEMORY_ROOT, record, {
        files: disk.copy().files,
        timers: new ManualTimers(),
      });
      left.push(replayed);
    }
    for (let life = 1; life < left.length; life += 1) expect(left[life]).toBeLessThan(left[life - 1] ?? 0);
  });
});
