import { join } from 'node:path';
import fc from 'fast-check';
import { Fault } from '../../../core/event/fault.js';
import { changeFile } from '../../core/storage/record/change-file.js';
import { MEMORY_ROOT, type MemoryDisk } from '../../core/storage/record/memory-disk.js';
import {
  filesUnder,
  isRecord,
  lostEvidence,
  openStore,
  sampleFolder,
  verify,
} from '../../core/storage/verify/sample-folder.js';

let original: MemoryDisk;
let files = new Map<string, Buffer>();
beforeAll(async () => {
  original = await sampleFolder();
  files = await filesUnder(original);
});

/** One bit of a file. */
interface Flip {
  readonly path: string;
  readonly at: number;
  readonly mask: number;
}

/** Generates a bit of a file. */
function flips(isWanted: (path: string) => boolean): fc.Arbitrary<Flip> {
  const place = fc.record({ file: fc.nat(), at: fc.nat(), bit: fc.nat({ max: 7 }) });
  return place.map(({ file, at, bit }) => {
    const paths = [...files.keys()].filter(isWanted);
    const path = paths[file % paths.length] ?? '';
    return { path, at: at % (files.get(path)?.length ?? 1), mask: 1 << bit };
  });
}

/** Returns a copy of the folder with one flipped bit. */
async function flipped({ path, at, mask }: Flip): Promise<MemoryDisk> {
  const disk = original.copy();
  await changeFile(disk, join(MEMORY_ROOT, path), (bytes) => {
    bytes[at] = (bytes[at] ?? 0) ^ mask;
    return bytes;
  });
  return disk;
}

/** Whether a byte belongs to a batch id, which has no checksum. */
function isInBatchId(path: string, at: number): boolean {
  const text = files.get(path)?.toString('latin1') ?? '';
  return [...text.matchAll(/(?<="mark":")[^"]*/g)].some(
    ({ index, 0: name }) => index <= at && at < index + name.length,
  );
}

describe('verify of a folder with one flipped bit', () => {
  it('reports every bit of raw files and commit records except those of batch ids', async () => {
    const isPartitionFile = (path: string): boolean => path.startsWith('raw/');
    await fc.assert(
      fc.asyncProperty(flips(isPartitionFile), async (flip) => {
        const { findings, summary } = await verify(await flipped(flip));
        if (isInBatchId(flip.path, flip.at)) return;
        expect(summary.damages).toBeGreaterThan(0);
        const folder = flip.path.slice(0, flip.path.lastIndexOf('/'));
        expect(findings.some(({ file }) => file.startsWith(folder))).toBe(true);
      }),
    );
  });

  it('names the line of every bit of a raw file', async () => {
    await fc.assert(
      fc.asyncProperty(
        flips((path) => path.endsWith('/raw.ndjson')),
        async (flip) => {
          const { findings } = await verify(await flipped(flip));
          const before = files.get(flip.path)?.subarray(0, flip.at).toString('latin1') ?? '';
          const expected = { file: flip.path, line: before.split('\n').length - 1, offset: flip.at };
          expect(findings).toContainEqual(expect.objectContaining({ ...expected, code: 'RAW_LINE_DAMAGED' }));
        },
      ),
    );
  });

  it('never fails for any file, and opening the folder then deletes nothing of the record', async () => {
    await fc.assert(
      fc.asyncProperty(
        flips(() => true),
        async (flip) => {
          const disk = await flipped(flip);
          await verify(disk);
          const before = await filesUnder(disk);
          try {
            await (await openStore(disk)).close();
          } catch (error) {
            expect(error).toBeInstanceOf(Fault);
          }
          expect(lostEvidence(before, await filesUnder(disk))).toEqual([]);
          expect([...before.keys()].filter(isRecord).every((path) => files.has(path))).toBe(true);
        },
      ),
    );
  });
});
