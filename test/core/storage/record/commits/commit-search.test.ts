import fc from 'fast-check';
import type { ReadableFile } from '../../../../../core/storage/files/store-files.js';
import {
  type CommitFingerprints,
  type CommitRecord,
  encodeCommitRecord,
  MAX_COMMIT_LINES,
  MAX_COMMIT_RECORD_BYTES,
  parseCommitRecord,
} from '../../../../../core/storage/record/commits/commit-record.js';
import {
  findCommitOfLine,
  findLastCommit,
  type PlacedCommit,
  readCommits,
  searchCommits,
} from '../../../../../core/storage/record/commits/commit-search.js';

const START_MICROS = 1_795_255_200_000_000;

function readable(bytes: Buffer): ReadableFile & { bytesRead: number } {
  return {
    bytesRead: 0,
    async read(position, count) {
      const part = bytes.subarray(position, position + count);
      this.bytesRead += part.length;
      return part;
    },
    size: async () => bytes.length,
  };
}

function fingerprintsOf(lines: number, version: number): CommitFingerprints {
  return { version, values: '0123456789abcdef'.repeat(2 * lines) };
}

/** Consecutive records; some share a timestamp, some have long batch ids. */
const anyRecords = fc
  .array(
    fc.record({
      lines: fc.integer({ min: 1, max: 1000 }),
      bytes: fc.integer({ min: 1000, max: 1_000_000 }),
      waitMicros: fc.constantFrom(0, 1, 1_000_000),
      version: fc.option(fc.integer({ min: 1, max: 1e9 }), { nil: undefined }),
      batches: fc.oneof(
        { weight: 5, arbitrary: fc.constant([]) },
        fc.array(
          fc.record({ batchId: fc.string({ minLength: 1, maxLength: 200 }), lines: fc.nat(9).map((n) => n + 1) }),
          {
            maxLength: 16,
          },
        ),
      ),
    }),
    { maxLength: 120 },
  )
  .map((parts) => {
    let line = 0;
    let offset = 0;
    let receivedAtMicros = START_MICROS;
    return parts.map(({ lines, bytes, waitMicros, version, batches }): CommitRecord => {
      receivedAtMicros += waitMicros;
      const record = { line, lines, offset, bytes, receivedAtMicros, crc32c: '0123abcd', batches };
      const fingerprints = version === undefined ? undefined : fingerprintsOf(lines, version);
      line += lines;
      offset += bytes;
      return fingerprints === undefined ? record : { ...record, fingerprints };
    });
  });

/** Other content of a file: lines that are not records, and a torn end. */
const anyNoise = fc.record({
  garbage: fc.array(fc.tuple(fc.nat(120), fc.constantFrom('', '{}', 'x', '\0\0\0', '{"line":1}', 'y'.repeat(40_000))), {
    maxLength: 3,
  }),
  torn: fc.constantFrom('', '{"line":', '\0'.repeat(5000)),
});

function fileOf(records: readonly CommitRecord[], noise: { garbage: [number, string][]; torn: string }): Buffer {
  const lines = records.map(encodeCommitRecord);
  for (const [at, text] of noise.garbage) lines.splice(Math.min(at, lines.length), 0, `${text}\n`);
  return Buffer.from(lines.join('') + noise.torn, 'utf8');
}

async function all(file: ReadableFile): Promise<PlacedCommit[]> {
  const commits: PlacedCommit[] = [];
  for await (const batch of readCommits(file, { from: 0, chunkBytes: 100 })) commits.push(...batch);
  return commits;
}

describe('a commit record', () => {
  it('survives encoding and parsing, and is never longer than the limit', () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        for (const record of records) {
          const line = encodeCommitRecord(record);
          expect(line.indexOf('\n')).toBe(line.length - 1);
          expect(Buffer.byteLength(line)).toBeLessThanOrEqual(MAX_COMMIT_RECORD_BYTES);
          expect(parseCommitRecord(line)).toEqual(record);
        }
      }),
    );
    const batch = { batchId: '\0'.repeat(200), lines: 1_000_000 };
    const lines = MAX_COMMIT_LINES;
    const fingerprints = fingerprintsOf(lines, 2 ** 49);
    const longest = {
      line: 2 ** 30,
      lines,
      fingerprints,
      offset: 2 ** 52,
      bytes: 2 ** 40,
      receivedAtMicros: START_MICROS,
    };
    const line = encodeCommitRecord({ ...longest, crc32c: '0123abcd', batches: Array(16).fill(batch) });
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(MAX_COMMIT_RECORD_BYTES);
  });

  it.each([
    '',
    'null',
    '[]',
    '{"line":0,"lines":1,"offset":0,"bytes":10,"received_at":"2026-11-21T10:00:00.000000Z","crc32c":"0123abcd"',
    '{"line":0,"lines":1,"offset":0,"bytes":10,"received_at":"2026-11-21T10:00:00Z","crc32c":"0123abcd"}',
    '{"line":0,"lines":1,"offset":0,"bytes":10,"received_at":"2026-11-21T10:00:00.000000Z","crc32c":"0123ABCD"}',
    '{"line":0,"lines":0,"offset":0,"bytes":10,"received_at":"2026-11-21T10:00:00.000000Z","crc32c":"0123abcd"}',
    '{"line":-1,"lines":1,"offset":0,"bytes":10,"received_at":"2026-11-21T10:00:00.000000Z","crc32c":"0123abcd"}',
    '{"line":0,"lines":1,"offset":0.5,"bytes":10,"received_at":"2026-11-21T10:00:00.000000Z","crc32c":"0123abcd"}',
    '{"line":0,"lines":1,"offset":0,"bytes":10,"received_at":"2026-11-21T10:00:00.000000Z","crc32c":"0123abcd","marks":[1]}',
    '{"line":0,"lines":1,"offset":0,"bytes":10,"received_at":"2026-11-21T10:00:00.000000Z","crc32c":"0123abcd","marks":{}}',
  ])('is not read from %j', (text) => {
    expect(parseCommitRecord(text)).toBeUndefined();
  });
});

describe('fingerprints in a commit record', () => {
  const fingerprints = fingerprintsOf(20, 3);
  const record = { line: 7, lines: 20, offset: 900, bytes: 9000, receivedAtMicros: START_MICROS, crc32c: '0123abcd' };
  const withBatch = { ...record, batches: [{ batchId: ',"fingerprints":{', lines: 20 }] };
  const text = encodeCommitRecord({ ...withBatch, fingerprints });
  const content = text.indexOf('{"version"');

  it('are damaged by every flipped bit, without losing the rest of the record', () => {
    fc.assert(
      fc.property(fc.integer({ min: content, max: text.length - 4 }), fc.nat(7), (at, bit) => {
        const bytes = Buffer.from(text, 'utf8');
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
        expect(parseCommitRecord(bytes.toString('utf8'))).toEqual({ ...withBatch, fingerprints: 'damaged' });
      }),
    );
  });

  it('are damaged if their number differs from the lines, and missing if an older version wrote the record', () => {
    expect(parseCommitRecord(text)).toEqual({ ...withBatch, fingerprints });
    expect(parseCommitRecord(text.replace('"lines":20,', '"lines":19,'))?.fingerprints).toBe('damaged');
    expect(parseCommitRecord(encodeCommitRecord(withBatch))).toEqual(withBatch);
  });

  it('are read beside members of other versions, such as `plain_from`', () => {
    expect(parseCommitRecord(text.replace('"fingerprints"', '"plain_from":0,"fingerprints"'))).toEqual({
      ...withBatch,
      fingerprints,
    });
  });
});

describe('a commit file', () => {
  it('yields its records in order, and skips everything between them', async () => {
    await fc.assert(
      fc.asyncProperty(anyRecords, anyNoise, async (records, noise) => {
        const bytes = fileOf(records, noise);
        const commits = await all(readable(bytes));
        expect(commits.map(({ record }) => record)).toEqual(records);
        for (const { record, start, end } of commits) {
          expect(bytes.subarray(start, end).toString('utf8')).toBe(encodeCommitRecord(record));
        }
        expect((await findLastCommit(readable(bytes)))?.record).toEqual(records.at(-1));
      }),
    );
  });

  it('finds the commit of a line', async () => {
    await fc.assert(
      fc.asyncProperty(anyRecords, anyNoise, fc.nat(70_000), async (records, noise, line) => {
        const expected = records.find((record) => record.line <= line && line < record.line + record.lines);
        expect(await findCommitOfLine(readable(fileOf(records, noise)), line)).toEqual(expected);
      }),
    );
  });

  it('finds the neighbours of a timestamp', async () => {
    await fc.assert(
      fc.asyncProperty(anyRecords, anyNoise, fc.nat(120_000_000), async (records, noise, after) => {
        const isBefore = (record: CommitRecord): boolean => record.receivedAtMicros <= START_MICROS + after;
        const { before, next } = await searchCommits(readable(fileOf(records, noise)), isBefore);
        expect(before?.record).toEqual(records.filter(isBefore).at(-1));
        expect(next?.record).toEqual(records.find((record) => !isBefore(record)));
      }),
    );
  });

  it('reads little of a long file to find a line', async () => {
    const record = { lines: 1, bytes: 1000, receivedAtMicros: START_MICROS, crc32c: '0123abcd', batches: [] };
    const lines = Array.from({ length: 20_000 }, (_, line) =>
      encodeCommitRecord({ ...record, line, offset: line * 1000 }),
    );
    const file = readable(Buffer.from(lines.join(''), 'utf8'));
    expect(await findCommitOfLine(file, 17_777)).toMatchObject({ line: 17_777 });
    expect(file.bytesRead).toBeLessThan(32_000);
    expect(await findCommitOfLine(file, 20_000)).toBeUndefined();
  });

  it('may be empty', async () => {
    expect(await findLastCommit(readable(Buffer.alloc(0)))).toBeUndefined();
    expect(await searchCommits(readable(Buffer.alloc(0)), () => false)).toEqual({
      before: undefined,
      found: undefined,
    });
  });
});
