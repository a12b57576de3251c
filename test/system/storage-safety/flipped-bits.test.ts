import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { Fault } from '../../../core/event/fault.js';
import {
  copyOf,
  filesUnder,
  isRecord,
  lostEvidence,
  openStore,
  sampleFolder,
  verify,
} from '../../core/storage/verify/sample-folder.js';
import { removeTemporaryFolders } from '../../helpers/temporary-folder.js';

afterAll(removeTemporaryFolders);

let directory = '';
let original = new Map<string, Buffer>();
beforeAll(async () => {
  directory = await copyOf(await sampleFolder());
  original = await filesUnder(directory);
});

/** Generates a bit of a file. */
function flips(isWanted: (path: string) => boolean): fc.Arbitrary<{ path: string; at: number; mask: number }> {
  const place = fc.record({ file: fc.nat(), at: fc.nat(), bit: fc.nat({ max: 7 }) });
  return place.map(({ file, at, bit }) => {
    const paths = [...original.keys()].filter(isWanted);
    const path = paths[file % paths.length] ?? '';
    return { path, at: at % (original.get(path)?.length ?? 1), mask: 1 << bit };
  });
}

/** Runs `use` while one bit is flipped. */
async function withFlip<T>(flip: { path: string; at: number; mask: number }, use: () => Promise<T>): Promise<T> {
  const bytes = original.get(flip.path) ?? Buffer.alloc(0);
  const changed = Buffer.from(bytes);
  changed[flip.at] = (changed[flip.at] ?? 0) ^ flip.mask;
  await writeFile(join(directory, flip.path), changed);
  try {
    return await use();
  } finally {
    await writeFile(join(directory, flip.path), bytes);
  }
}

/** Whether a byte belongs to a batch id, which has no checksum. */
function isInBatchId(path: string, at: number): boolean {
  const text = original.get(path)?.toString('latin1') ?? '';
  return [...text.matchAll(/(?<="mark":")[^"]*/g)].some(
    ({ index, 0: name }) => index <= at && at < index + name.length,
  );
}

describe('verify of a folder with one flipped bit', () => {
  it('reports every bit of raw files and commit records except those of batch ids', async () => {
    const isPartitionFile = (path: string): boolean => path.startsWith('raw/');
    await fc.assert(
      fc.asyncProperty(flips(isPartitionFile), async (flip) => {
        const { findings, summary } = await withFlip(flip, () => verify(directory));
        if (isInBatchId(flip.path, flip.at)) return;
        expect(summary.damages).toBeGreaterThan(0);
        const folder = flip.path.slice(0, flip.path.lastIndexOf('/'));
        expect(findings.some(({ file }) => file.startsWith(folder))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('reports every bit of a commit record', async () => {
    await fc.assert(
      fc.asyncProperty(
        flips((path) => path.endsWith('/commits.ndjson')),
        async (flip) => {
          const { summary } = await withFlip(flip, () => verify(directory));
          if (!isInBatchId(flip.path, flip.at)) expect(summary.damages).toBeGreaterThan(0);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('names the line of every bit of a raw file', async () => {
    await fc.assert(
      fc.asyncProperty(
        flips((path) => path.endsWith('/raw.ndjson')),
        async (flip) => {
          const { findings } = await withFlip(flip, () => verify(directory));
          const before = original.get(flip.path)?.subarray(0, flip.at).toString('latin1') ?? '';
          const expected = { file: flip.path, line: before.split('\n').length - 1, offset: flip.at };
          expect(findings).toContainEqual(expect.objectContaining({ ...expected, code: 'RAW_LINE_DAMAGED' }));
        },
      ),
      { numRuns: 20 },
    );
  });

  it('never fails for any file, and opening the folder then deletes nothing of the record', async () => {
    await fc.assert(
      fc.asyncProperty(
        flips(() => true),
        async (flip) => {
          const copy = await withFlip(flip, async () => {
            await verify(directory);
            return await copyOf(directory);
          });
          const before = await filesUnder(copy);
          try {
            await (await openStore(copy)).close();
          } catch (error) {
            expect(error).toBeInstanceOf(Fault);
          }
          expect(lostEvidence(before, await filesUnder(copy))).toEqual([]);
          expect([...before.keys()].filter(isRecord).every((path) => original.has(path))).toBe(true);
        },
      ),
      { numRuns: 12 },
    );
  });
});
