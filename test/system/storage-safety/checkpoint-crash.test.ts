import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { CheckpointWriter } from '../../../core/storage/index/checkpoint/checkpoint-writer.js';
import {
  beginEmptyIndex,
  type LoadedIndex,
  loadIndex,
  writeEmptyIndex,
} from '../../../core/storage/index/checkpoint/load-index.js';
import { createManifest } from '../../../core/storage/index/checkpoint/manifest.js';
import { removeStrayDocuments } from '../../../core/storage/index/checkpoint/remove-strays.js';
import type { IndexContent } from '../../../core/storage/index/content/index-content.js';
import { manifestPath } from '../../../core/storage/index/documents/index-folder.js';
import { replayIntoIndex } from '../../../core/storage/index/replay-into-index.js';
import { locationsIn, stateOf } from '../../core/storage/index/index-state.js';
import { cachedFingerprint, MemoryRecord, TEN_O_CLOCK_MICROS } from '../../core/storage/index/memory-record.js';
import { failingFiles } from '../../core/storage/record/failing-files.js';
import { createMemoryDisk, MEMORY_ROOT, type MemoryDisk } from '../../core/storage/record/memory-disk.js';
import { expectSame } from '../../helpers/expect-same.js';
import { groupingBy } from '../../helpers/grouping.js';
import { kindOfFailure } from '../../helpers/payloads.js';

/** One commit, the checkpoint after it, and the time until the next. */
interface Step {
  events: number;
  firstKind: number;
  stride: number;
  minutes: number;
  checkpoint: 'none' | 'plain' | 'seal';
  turns: number;
  /** The call of the checkpoint that fails, from zero; -1 for none. */
  failingCall: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  events: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 5 }) }, fc.integer({ min: 6, max: 300 })),
  firstKind: fc.integer({ min: 0, max: 800 }),
  stride: fc.integer({ min: 0, max: 2 }),
  minutes: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 90 })),
  checkpoint: fc.constantFrom('none', 'plain', 'plain', 'seal'),
  turns: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 120 })),
  failingCall: fc.oneof({ weight: 4, arbitrary: fc.constant(-1) }, fc.integer({ min: 0, max: 120 })),
});

/** Enough issues that their states need more than one document. */
const seed: Step = {
  events: 540,
  firstKind: 0,
  stride: 1,
  minutes: 0,
  checkpoint: 'plain',
  turns: 150,
  failingCall: -1,
};

/** Commits that vary all fields of an index. */
class Traffic {
  readonly record = new MemoryRecord();
  #micros = TEN_O_CLOCK_MICROS;

  next({ events, firstKind, stride, minutes }: Step) {
    this.#micros += 1 + minutes * 60_000_000;
    const payloads = Array.from({ length: events }, (_, index) =>
      kindOfFailure(firstKind + index * stride, {
        env: index % 7 === 0 ? 'staging' : 'production',
        level: index % 5 === 0 ? 'critical' : null,
        extra: index % 11 === 3 ? { faultline: { sampled: firstKind + index } } : null,
        release: index % 3 === 0 ? null : `v1.${firstKind % 40}.0`,
        user_id: index % 6 === 0 ? null : `user-${(firstKind + index) % 211}`,
        timestamp: index % 4 === 0 ? null : new Date(this.#micros / 1000 - index * 977_000).toISOString(),
      }),
    );
    return this.record.commit(payloads, this.#micros);
  }
}

/** Runs one process: replays the record, applies the steps, and leaves running checkpoints to the power failure. */
async function runProcess(
  disk: MemoryDisk,
  traffic: Traffic,
  steps: readonly Step[],
  loaded: LoadedIndex,
): Promise<void> {
  const files = failingFiles(disk.files);
  const { content } = loaded;
  const manifest = createManifest(files, manifestPath(MEMORY_ROOT));
  const writer = new CheckpointWriter({ files, directory: MEMORY_ROOT }, loaded, manifest);
  let isRunning = false;
  const runStep = async (one: Step): Promise<void> => {
    content.segments.writeUpTo(content.segments.sealed.segments).catch(() => undefined);
    if (one.checkpoint !== 'none' && !isRunning) {
      isRunning = true;
      if (one.failingCall < 0) files.arm();
      else files.arm({ code: 'ENOSPC', at: one.failingCall });
      writer
        .write({ seal: one.checkpoint === 'seal' })
        .catch(() => undefined)
        .finally(() => {
          isRunning = false;
        });
    }
    for (let turns = 0; turns < one.turns; turns += 1) await turn();
  };

  const inReplay = steps.values();
  await replay(traffic.record, content, async () => {
    const one = inReplay.next();
    if (one.done !== true) await runStep(one.value);
  });
  expect(content.isAheadOfRecord).toBe(false);
  for (const one of steps) {
    content.apply(traffic.next(one));
    await runStep(one);
  }
}

async function replay(record: MemoryRecord, content: IndexContent, afterCommit?: () => Promise<void>): Promise<void> {
  await replayIntoIndex({
    record,
    content,
    afterMicros: content.lastReceivedAtMicros,
    grouping: groupingBy(cachedFingerprint),
    onFault: (fault) => {
      throw fault;
    },
    ...(afterCommit && { afterCommit }),
  });
}

async function load(disk: MemoryDisk): Promise<LoadedIndex> {
  const { files } = disk;
  const loaded = await loadIndex({ directory: MEMORY_ROOT, files, grouping: null });
  if (loaded === undefined) throw new Error('the manifest is missing');
  return loaded;
}

async function expectAsRebuilt(disk: MemoryDisk, record: MemoryRecord): Promise<void> {
  const { content } = await load(disk);
  await replay(record, content);
  const rebuilt = (await beginEmptyIndex({ files: disk.files, directory: MEMORY_ROOT }, null)).content;
  await replay(record, rebuilt);
  const state = await stateOf(content);
  expectSame(state, await stateOf(rebuilt));
  const locations = state.issues.flatMap((issue) => issue.locations);
  expectSame(locations.toSorted(), locationsIn(record).toSorted());
}

describe('an index after power failures at any moment, while events arrive during its checkpoints', () => {
  it('equals a rebuilt index, after repeated failures', async () => {
    const luck = fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true }));
    const processes = fc.array(fc.array(step, { minLength: 1, maxLength: 16 }), { minLength: 2, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(processes, luck, async ([first = [], ...others], chances) => {
        const traffic = new Traffic();
        let disk = createMemoryDisk();
        let loaded = await beginEmptyIndex({ files: disk.files, directory: MEMORY_ROOT }, null);
        await writeEmptyIndex(disk.files, MEMORY_ROOT, loaded);
        for (const steps of [[seed, ...first], ...others]) {
          await runProcess(disk, traffic, steps, loaded);
          disk = disk.failPower(() => chances.next().value ?? 0);
          await expectAsRebuilt(disk, traffic.record);
          loaded = await load(disk);
          await removeStrayDocuments(disk.files, MEMORY_ROOT, loaded.manifest);
        }
      }),
      // A run takes 200 ms.
      { numRuns: 10, endOnFailure: true },
    );
  });
});
