import { join } from 'node:path';
import { Fault } from '../../../core/event/fault.js';
import { walkPartitions } from '../../../core/storage/record/partitions/partition-path.js';
import { recoverRecord } from '../../../core/storage/record/recover-record.js';
import { createMemoryDisk, MEMORY_ROOT, type MemoryDisk } from '../../core/storage/record/memory-disk.js';
import { openRecord, replayAll } from '../../core/storage/record/open-record.js';
import { recordEvents } from '../../core/storage/record/record-events.js';

/** More partitions than the timestamps of a group commit. */
const PARTITIONS = 20;

/** A group commit after a power failure: lines without commit records, and in the last partition a commit record without its bytes. */
async function halfWrittenCommit(): Promise<MemoryDisk> {
  const disk = createMemoryDisk();
  const { files } = disk;
  const { writer } = await openRecord(MEMORY_ROOT, { files });
  const names = Array.from({ length: PARTITIONS }, (_, index) => `s${String(index).padStart(2, '0')}`);
  await writer.append(names.flatMap((service) => recordEvents(1, service, { service })));
  await writer.close();
  const partitions = await walkPartitions(files, MEMORY_ROOT, { from: 0 });
  for (const [index, { folder }] of partitions.entries()) {
    const isLast = index === partitions.length - 1;
    const file = await files.open(join(MEMORY_ROOT, folder, isLast ? 'raw.ndjson' : 'commits.ndjson'), 'write');
    const bytes = await file.size();
    await file.truncate(0);
    if (isLast) await file.write([Buffer.alloc(bytes)], 0);
    await file.sync();
  }
  return disk;
}

describe('a recovery that is killed at any call and repeated', () => {
  it('never treats a commit as durable before its bytes were checked', async () => {
    const original = await halfWrittenCommit();
    const step = 23;
    for (let diesAt = 0, died = true; died; diesAt += step) {
      const disk = original.copy();
      let calls = 0;
      disk.fateOf = () => {
        calls += 1;
        return calls > diesAt ? { code: 'EIO', effect: 'none' } : undefined;
      };
      const options = { directory: MEMORY_ROOT, files: disk.files, afterMicros: 0 };
      died = await recoverRecord(options).then(
        () => false,
        () => true,
      );
      const { files } = disk.kill();
      const faults: Error[] = [];
      await recoverRecord({ ...options, files, onFault: (fault) => faults.push(fault) });
      expect(faults.filter((fault) => !(fault instanceof Fault) || fault.code !== 'LINES_ADOPTED')).toEqual([]);
      expect((await replayAll(MEMORY_ROOT, 0, files)).length).toBe(PARTITIONS - 1);
    }
  });
});
