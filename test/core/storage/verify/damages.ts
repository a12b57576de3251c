import { join } from 'node:path';
import { changeFile } from '../record/change-file.js';
import { MEMORY_ROOT, type MemoryDisk } from '../record/memory-disk.js';
import { API_AT_ELEVEN, API_AT_TEN, filesUnder, WORKER_AT_TEN } from './sample-folder.js';

/** Files of the partition that is damaged. */
export const RAW = `${API_AT_TEN}/raw.ndjson`;
export const COMMITS = `${API_AT_TEN}/commits.ndjson`;

/** The path of a file on the disk. */
export function at(file: string): string {
  return join(MEMORY_ROOT, file);
}

/** Returns the bytes of a file. */
function bytesOf(disk: MemoryDisk, file: string): Buffer {
  const bytes = disk.contentOf(at(file));
  if (bytes === undefined) throw new Error(`${file} does not exist`);
  return bytes;
}

/** Returns the offset of a line, from zero. */
export function startOfLine(bytes: Buffer, number: number): number {
  let start = 0;
  for (let line = 0; line < number; line += 1) start = bytes.indexOf('\n', start) + 1;
  return start;
}

/** Rewrites a file. */
export async function change(disk: MemoryDisk, file: string, edit: (bytes: Buffer) => Buffer): Promise<void> {
  await changeFile(disk, at(file), edit);
}

/** Replaces the first match after the start of a line. */
async function replaceIn(disk: MemoryDisk, file: string, line: number, from: RegExp, to: string): Promise<void> {
  await change(disk, file, (bytes) => {
    const start = startOfLine(bytes, line);
    const rest = bytes.toString('latin1', start);
    expect(rest).toMatch(from);
    return Buffer.concat([bytes.subarray(0, start), Buffer.from(rest.replace(from, to), 'latin1')]);
  });
}

async function indexFile(disk: MemoryDisk, part: string): Promise<string> {
  const found = [...(await filesUnder(disk)).keys()].find((path) => path.startsWith('index/') && path.includes(part));
  if (found === undefined) throw new Error(`the index has no ${part}`);
  return found;
}

/** Flips a bit of a file. */
export async function flipIn(
  disk: MemoryDisk,
  file: string,
  offset: (bytes: Buffer) => number,
  mask = 1,
): Promise<void> {
  await change(disk, file, (bytes) => {
    const flipped = offset(bytes);
    bytes[flipped] = (bytes[flipped] ?? 0) ^ mask;
    return bytes;
  });
}

/** A damage of the sample folder, and the finding that names it. */
export interface Damage {
  readonly name: string;
  readonly damage: (disk: MemoryDisk) => unknown;
  readonly code: string;
  readonly file: string | ((disk: MemoryDisk) => Promise<string>);
  readonly line?: number;
}

/** One of each kind. */
export const DAMAGES: readonly Damage[] = [
  {
    name: 'one flipped bit in a text of a raw line',
    damage: (disk) => flipIn(disk, RAW, (bytes) => bytes.indexOf('did not answer', startOfLine(bytes, 37))),
    code: 'RAW_LINE_DAMAGED',
    file: RAW,
    line: 37,
  },
  {
    name: 'a raw newline that was changed to another character',
    damage: (disk) => flipIn(disk, RAW, (bytes) => startOfLine(bytes, 38) - 1, 4),
    code: 'RAW_LINE_DAMAGED',
    file: RAW,
    line: 37,
  },
  {
    name: 'a raw line that was overwritten',
    damage: (disk) => change(disk, RAW, (bytes) => bytes.fill('x', startOfLine(bytes, 21), startOfLine(bytes, 22) - 1)),
    code: 'RAW_LINE_DAMAGED',
    file: RAW,
    line: 21,
  },
  {
    name: 'two flipped bits in texts of a commit',
    damage: (disk) =>
      change(disk, RAW, (bytes) => {
        for (const line of [37, 38]) {
          const at = bytes.indexOf('did not answer', startOfLine(bytes, line));
          bytes[at] = (bytes[at] ?? 0) ^ 1;
        }
        return bytes;
      }),
    code: 'RAW_LINES_DAMAGED',
    file: RAW,
    line: 32,
  },
  {
    name: 'a line that belongs to another partition',
    damage: (disk) => replaceIn(disk, RAW, 50, /"service":"api"/, '"service":"bpj"'),
    code: 'RAW_LINE_DAMAGED',
    file: RAW,
    line: 50,
  },
  {
    name: 'an extra newline',
    damage: (disk) => replaceIn(disk, RAW, 33, /the .+? did/, ' \n\n '.padEnd(9)),
    code: 'RAW_LINES_DAMAGED',
    file: RAW,
    line: 32,
  },
  {
    name: 'another first line in a commit record',
    damage: (disk) => replaceIn(disk, COMMITS, 3, /"line":48/, '"line":49'),
    code: 'COMMIT_GAP',
    file: COMMITS,
    line: 3,
  },
  {
    name: 'another count of lines in a commit record',
    damage: (disk) => replaceIn(disk, COMMITS, 3, /"lines":16/, '"lines":17'),
    code: 'COMMIT_RECORD_CHANGED',
    file: COMMITS,
    line: 3,
  },
  {
    name: 'another offset in a commit record',
    damage: (disk) => replaceIn(disk, COMMITS, 3, /"offset":\d/, '"offset":8'),
    code: 'COMMIT_RECORD_CHANGED',
    file: COMMITS,
    line: 3,
  },
  {
    name: 'another length in a commit record',
    damage: (disk) => replaceIn(disk, COMMITS, 3, /"bytes":\d/, '"bytes":4'),
    code: 'COMMIT_RECORD_CHANGED',
    file: COMMITS,
    line: 3,
  },
  {
    name: 'another length in the last commit record',
    damage: (disk) => replaceIn(disk, COMMITS, 11, /"bytes":\d/, '"bytes":4'),
    code: 'COMMIT_RECORD_CHANGED',
    file: COMMITS,
    line: 11,
  },
  {
    name: 'another checksum in a commit record',
    damage: (disk) => flipIn(disk, COMMITS, (bytes) => bytes.indexOf('"crc32c":"', startOfLine(bytes, 3)) + 10),
    code: 'COMMIT_RECORD_CHANGED',
    file: COMMITS,
    line: 3,
  },
  {
    name: 'another hour in a commit record',
    damage: (disk) => replaceIn(disk, COMMITS, 3, /T10/, 'T11'),
    code: 'COMMIT_OUTSIDE_HOUR',
    file: COMMITS,
    line: 3,
  },
  {
    name: 'an earlier minute in a commit record',
    damage: (disk) => replaceIn(disk, COMMITS, 3, /T10:03/, 'T10:01'),
    code: 'COMMIT_TIME_BACKWARDS',
    file: COMMITS,
    line: 3,
  },
  {
    name: 'a changed second in a commit record, which only the index shows',
    damage: (disk) => replaceIn(disk, COMMITS, 3, /T10:03:00/, 'T10:03:01'),
    code: 'INDEX_ROWS_WITHOUT_LINES',
    file: RAW,
    line: 48,
  },
  {
    name: 'a commit record with a changed key',
    damage: (disk) => replaceIn(disk, COMMITS, 3, /"lines"/, '"limes"'),
    code: 'COMMIT_RECORD_INVALID',
    file: COMMITS,
    line: 3,
  },
  {
    name: 'a commit record that counts more lines than fit into memory',
    damage: (disk) =>
      replaceIn(disk, COMMITS, 3, /"lines":16(.*?)"bytes":\d+/, '"lines":9007199254740991$1"bytes":9007199254740991'),
    code: 'COMMIT_RECORD_INVALID',
    file: COMMITS,
    line: 3,
  },
  {
    name: 'a very long line in a commit file',
    damage: (disk) => replaceIn(disk, COMMITS, 3, /^/, `${'x'.repeat(200_000)}\n`),
    code: 'COMMIT_RECORD_INVALID',
    file: COMMITS,
    line: 3,
  },
  {
    name: 'a changed key of a batch id',
    damage: (disk) => replaceIn(disk, COMMITS, 10, /"marks"/, '"narks"'),
    code: 'COMMIT_RECORD_INVALID',
    file: COMMITS,
    line: 10,
  },
  {
    name: 'a commit record that was deleted',
    damage: (disk) =>
      change(disk, COMMITS, (bytes) =>
        Buffer.concat([bytes.subarray(0, startOfLine(bytes, 3)), bytes.subarray(startOfLine(bytes, 4))]),
      ),
    code: 'COMMIT_GAP',
    file: COMMITS,
    line: 3,
  },
  {
    name: 'a torn last commit record',
    damage: (disk) => disk.cut(at(COMMITS), bytesOf(disk, COMMITS).length - 7),
    code: 'COMMIT_TORN',
    file: COMMITS,
    line: 11,
  },
  {
    name: 'a raw file that is cut off',
    damage: (disk) => disk.cut(at(RAW), startOfLine(bytesOf(disk, RAW), 182) + 5),
    code: 'RAW_TRUNCATED',
    file: RAW,
    line: 182,
  },
  {
    name: 'a raw file that is longer than its commits',
    damage: (disk) => change(disk, RAW, (bytes) => Buffer.concat([bytes, Buffer.from('{"half":')])),
    code: 'RAW_UNCOMMITTED_TAIL',
    file: RAW,
    line: 192,
  },
  {
    name: 'a commit file that is missing',
    damage: (disk) => disk.pull(at(COMMITS)),
    code: 'COMMITS_MISSING',
    file: COMMITS,
  },
  {
    name: 'a raw file that is missing',
    damage: (disk) => disk.pull(at(RAW)),
    code: 'RAW_MISSING',
    file: RAW,
    line: 0,
  },
  {
    name: 'a partition that is missing',
    damage: (disk) => disk.pull(at(API_AT_TEN)),
    code: 'PARTITION_MISSING',
    file: API_AT_TEN,
  },
  {
    name: 'the last partition that is missing',
    damage: (disk) => disk.pull(at(API_AT_ELEVEN)),
    code: 'PARTITION_MISSING',
    file: API_AT_ELEVEN,
  },
  {
    name: 'a partition under another name',
    damage: (disk) => disk.files.rename(at('raw/staging/worker'), at('raw/staging/walker')),
    code: 'RAW_LINE_MISPLACED',
    file: `${WORKER_AT_TEN.replace('worker', 'walker')}/raw.ndjson`,
    line: 0,
  },
  {
    name: 'an action with a changed key',
    damage: (disk) => replaceIn(disk, 'actions.ndjson', 1, /"action"/, '"axtion"'),
    code: 'ACTION_INVALID',
    file: 'actions.ndjson',
    line: 1,
  },
  {
    name: 'a torn action',
    damage: (disk) => disk.cut(at('actions.ndjson'), bytesOf(disk, 'actions.ndjson').length - 3),
    code: 'ACTION_TORN',
    file: 'actions.ndjson',
    line: 2,
  },
  ...['manifest', '/events/', '/cards/', '/states/'].flatMap((part): Damage[] => [
    {
      name: `one flipped bit in the index (${part})`,
      damage: async (disk) => flipIn(disk, await indexFile(disk, part), (bytes) => bytes.length - 20),
      code: 'INDEX_DOCUMENT_DAMAGED',
      file: (disk) => indexFile(disk, part),
    },
    {
      name: `an index document that is cut off (${part})`,
      damage: async (disk) => disk.cut(at(await indexFile(disk, part)), 100),
      code: 'INDEX_DOCUMENT_DAMAGED',
      file: (disk) => indexFile(disk, part),
    },
    {
      name: `an index document of a newer format (${part})`,
      damage: async (disk) => replaceIn(disk, await indexFile(disk, part), 0, /"format":\d+/, '"format":99'),
      code: 'INDEX_VERSION',
      file: (disk) => indexFile(disk, part),
    },
  ]),
  {
    name: 'an index document that is missing',
    damage: async (disk) => disk.pull(at(await indexFile(disk, '/cards/'))),
    code: 'INDEX_DOCUMENT_MISSING',
    file: (disk) => indexFile(disk, '/cards/'),
  },
  {
    name: 'an index without its manifest',
    damage: (disk) => disk.pull(at('index/manifest.json')),
    code: 'INDEX_DOCUMENT_MISSING',
    file: 'index/manifest.json',
  },
  {
    name: 'a lock that cannot be read',
    damage: (disk) => changeFile(disk, at('LOCK'), () => Buffer.from('mine')),
    code: 'LOCK_UNREADABLE',
    file: 'LOCK',
  },
];
