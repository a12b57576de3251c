import { setImmediate as turn } from 'node:timers/promises';
import type { StoreFiles } from '../../../../../core/storage/files/store-files.js';
import { ManualTimers } from '../../../../helpers/manual-timers.js';
import { waitFor } from '../../../../helpers/wait-for.js';
import { failingFiles } from '../failing-files.js';
import { createMemoryDisk, MEMORY_ROOT } from '../memory-disk.js';
import { openRecord, replayAll } from '../open-record.js';
import { recordEvents } from '../record-events.js';

const INTERVAL_MS = 5_000;
/** A power failure that loses everything unsynced. */
const NO_LUCK = (): number => 0;

/** Files whose syncs wait until `release` is called; counts those that ended. */
function heldFiles(real: StoreFiles): { files: StoreFiles; ended: () => number; release: () => void } {
  let ended = 0;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const open: StoreFiles['open'] = async (path, mode) => {
    const file = await real.open(path, mode);
    const sync = async (): Promise<void> => {
      await released;
      await file.sync();
      ended += 1;
    };
    return { ...file, sync };
  };
  return { files: { ...real, open }, ended: () => ended, release };
}

describe('a record under `os`', () => {
  it('is synced an interval after the first unsynced event, while events go on arriving', async () => {
    const disk = createMemoryDisk();
    const timers = new ManualTimers();
    let syncs = 0;
    const options = { files: disk.files, durability: 'os', syncIntervalMs: INTERVAL_MS, timers } as const;
    const { writer, faults } = await openRecord(MEMORY_ROOT, options);
    disk.fateOf = (operation) => {
      if (operation === 'sync') syncs += 1;
      return undefined;
    };
    for (let second = 0; second < 5; second += 1) {
      await writer.append(recordEvents(2, `before ${second}`));
      expect(syncs).toBe(0);
      timers.advance(INTERVAL_MS / 5);
    }
    await waitFor('the sync of both files', () => syncs === 2);
    // Waits for the running sync.
    await writer.flush();
    await writer.append(recordEvents(1, 'after'));

    const after = disk.failPower(NO_LUCK);
    await openRecord(MEMORY_ROOT, { files: after.files });
    const texts = (await replayAll(MEMORY_ROOT, 0, after.files)).map(({ text }) => text);
    expect(texts.length).toBe(10);
    expect(texts.join()).not.toContain('after');
    expect(faults).toEqual([]);
  });

  it('is synced again an interval after events that arrived during a sync', async () => {
    const disk = createMemoryDisk();
    const timers = new ManualTimers();
    const options = { files: disk.files, durability: 'os', syncIntervalMs: INTERVAL_MS, timers } as const;
    const { writer } = await openRecord(MEMORY_ROOT, options);
    await writer.append(recordEvents(1, 'first'));
    timers.advance(INTERVAL_MS);
    await writer.append(recordEvents(1, 'second'));
    await writer.flush();
    await writer.append(recordEvents(1, 'third'));
    let syncs = 0;
    disk.fateOf = (operation) => {
      if (operation === 'sync') syncs += 1;
      return undefined;
    };
    timers.advance(INTERVAL_MS);
    await waitFor('the sync of both files', () => syncs === 2);
    await writer.close();
  });

  it('whose sync fails reports that once, and repeats it through another handle until it succeeds', async () => {
    const disk = createMemoryDisk();
    const timers = new ManualTimers();
    const files = failingFiles(disk.files);
    const options = { files, durability: 'os', syncIntervalMs: INTERVAL_MS, timers } as const;
    const { writer, faults } = await openRecord(MEMORY_ROOT, options);
    await writer.append(recordEvents(1, 'x'));
    for (const failing of [2, 2, 0]) {
      files.arm({ code: 'EIO', only: ['sync'], at: 0, times: failing });
      timers.advance(INTERVAL_MS);
      await waitFor('the sync of both files', () => files.calls === 2);
      for (let turns = 0; turns < 10; turns += 1) await turn();
    }
    files.arm();
    await writer.flush();
    expect(files.calls).toBe(0);
    expect(faults).toMatchObject([{ code: 'STORE_UNAVAILABLE' }]);
    expect(files.resyncs).toBe(0);
    await writer.close();
  });

  it('is durable when a flush during a running sync has resolved', async () => {
    const disk = createMemoryDisk();
    const timers = new ManualTimers();
    const slow = heldFiles(disk.files);
    const options = { files: slow.files, durability: 'os', syncIntervalMs: INTERVAL_MS, timers } as const;
    const { writer } = await openRecord(MEMORY_ROOT, options);
    await writer.append(recordEvents(1, 'x'));
    timers.advance(INTERVAL_MS);
    let isFlushed = false;
    const flushed = writer.flush().then(() => {
      isFlushed = true;
    });
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect([isFlushed, slow.ended()]).toEqual([false, 0]);
    slow.release();
    await flushed;
    expect(slow.ended()).toBe(2);
    await writer.close();
  });
});
