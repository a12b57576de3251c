import { setImmediate as turn } from 'node:timers/promises';
import type { IssueIndex } from '../../../../../core/storage/index/issue-index.js';
import { expectSame } from '../../../../helpers/expect-same.js';
import { ManualTimers } from '../../../../helpers/manual-timers.js';
import { waitFor } from '../../../../helpers/wait-for.js';
import { createMemoryDisk, MEMORY_ROOT, type MemoryDisk } from '../../record/memory-disk.js';
import { stateOf } from '../index-state.js';
import { MemoryRecord } from '../memory-record.js';
import { failures, feed, type OpenedIndex, openIndex } from '../open-index.js';

const INTERVAL_MS = 5_000;

function open(
  disk: MemoryDisk,
  record: MemoryRecord,
  timers: ManualTimers,
  closeTimeoutMs?: number,
): Promise<OpenedIndex> {
  const options = { files: disk.files, checkpointIntervalMs: INTERVAL_MS, timers, closeTimeoutMs };
  return openIndex(MEMORY_ROOT, record, options);
}

const nothingLacks = (index: IssueIndex): Promise<boolean> =>
  waitFor('a checkpoint of everything', () => index.lagEvents === 0);

/** Lets work go on that needs no timer. */
async function turns(count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) await turn();
}

describe('an index without new events for an interval', () => {
  it('is brought up to date at any cost', async () => {
    const disk = createMemoryDisk();
    const record = new MemoryRecord();
    const timers = new ManualTimers();
    const { index } = await open(disk, record, timers);
    feed(record, index, 1, () => failures(1200));
    await index.checkpoint();
    // A few events of each document cost far more than they are worth under load.
    feed(record, index, 3, (commit) => failures(1, commit * 520));
    timers.advance(INTERVAL_MS - 1);
    await turns(50);
    expect(index.lagEvents).toBe(3);
    timers.advance(1);
    await nothingLacks(index);
    const again = await open(disk.kill(), record, timers);
    expect(again.replayed).toBe(0);
    expectSame(await stateOf(again.index.content), await stateOf(index.content));
  });

  it('is not brought up to date before, while events go on arriving', async () => {
    const record = new MemoryRecord();
    const timers = new ManualTimers();
    const { index } = await open(createMemoryDisk(), record, timers);
    feed(record, index, 1, () => failures(1200));
    await index.checkpoint();
    for (let second = 0; second < 20; second += 1) {
      feed(record, index, 1, () => failures(1, (second % 3) * 520));
      timers.advance(1_000);
      await turns(20);
    }
    expect(index.lagEvents).toBeGreaterThan(0);
    timers.advance(INTERVAL_MS);
    await nothingLacks(index);
    await index.close();
  });

  it('has not a document for each of many lone events', async () => {
    const record = new MemoryRecord();
    const timers = new ManualTimers();
    const { index } = await open(createMemoryDisk(), record, timers);
    const lags: number[] = [];
    for (let event = 0; event < 40; event += 1) {
      feed(record, index, 1, () => failures(1));
      timers.advance(2 * INTERVAL_MS);
      await turns(50);
      lags.push(index.lagEvents);
    }
    expect(lags.slice(0, 12)).toEqual(new Array(12).fill(0));
    expect(index.content.segments.sealed.segments).toBeLessThan(20);
    // They are made up for later.
    timers.advance(3_600_000);
    await nothingLacks(index);
    await index.close();
  });
});

describe('a process that is killed after each start', () => {
  it('replays no more at a later start than at an early one, however many issues are new', async () => {
    let disk = createMemoryDisk();
    const record = new MemoryRecord();
    const timers = new ManualTimers();
    const { index } = await open(disk, record, timers);
    await index.close();
    const replayed: number[] = [];
    for (let life = 0; life < 8; life += 1) {
      disk = disk.kill();
      const opened = await open(disk, record, timers);
      replayed.push(opened.replayed);
      await nothingLacks(opened.index);
      feed(record, opened.index, 4, (commit) => failures(250, life * 1000 + commit * 250));
    }
    expect(replayed).toEqual([0, ...new Array(7).fill(1000)]);
  });
});

describe('an index that is closed', () => {
  it('gives its last checkpoint up when the time is over, reports that, and keeps the one before', async () => {
    const disk = createMemoryDisk();
    const record = new MemoryRecord();
    const timers = new ManualTimers();
    const { index, faults } = await open(disk, record, timers, 1_500);
    feed(record, index, 10, (commit) => failures(250, commit * 250));
    await index.checkpoint();
    feed(record, index, 10, (commit) => failures(250, 2500 + commit * 250));
    const closed = index.close();
    await turns(3);
    timers.advance(1_500);
    await closed;
    expect(faults).toMatchObject([{ code: 'CHECKPOINT_UNFINISHED' }]);
    let changes = 0;
    disk.fateOf = () => {
      changes += 1;
      return undefined;
    };
    await turns(50);
    expect(changes).toBe(0);

    const again = await open(disk.copy(), record, timers);
    expect([again.replayed, again.faults]).toEqual([2500, []]);
    expectSame(await stateOf(again.index.content), await stateOf(index.content));
  });
});
