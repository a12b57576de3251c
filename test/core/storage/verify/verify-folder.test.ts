import { hash } from 'node:crypto';
import { rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { Fault } from '../../../../core/event/fault.js';
import { kindOfFailure } from '../../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { collidingServices } from '../record/colliding-services.js';
import { TEN_O_CLOCK_MS } from '../ten-o-clock.js';
import {
  API_AT_ELEVEN,
  API_AT_TEN,
  append,
  copyOf,
  filesUnder,
  lostEvidence,
  openStore,
  sampleFolder,
  verify,
  WORKER_AT_TEN,
} from './sample-folder.js';

afterAll(removeTemporaryFolders);

let sample: Promise<string> | undefined;
async function damagedCopy(): Promise<string> {
  sample ??= sampleFolder();
  return await copyOf(await sample);
}

const RAW = `${API_AT_TEN}/raw.ndjson`;
const COMMITS = `${API_AT_TEN}/commits.ndjson`;

async function bytesOf(directory: string, file: string): Promise<Buffer> {
  const bytes = (await filesUnder(directory)).get(file);
  if (bytes === undefined) throw new Error(`${file} does not exist`);
  return bytes;
}

/** Every file with a hash of its bytes, because `toEqual` is slow on the bytes. */
async function hashesUnder(directory: string): Promise<[string, string][]> {
  return [...(await filesUnder(directory))].map(([path, bytes]) => [path, hash('sha256', bytes)]);
}

function startOfLine(bytes: Buffer, number: number): number {
  let start = 0;
  for (let line = 0; line < number; line += 1) start = bytes.indexOf('\n', start) + 1;
  return start;
}

async function change(directory: string, file: string, edit: (bytes: Buffer) => Buffer): Promise<void> {
  await writeFile(join(directory, file), edit(await bytesOf(directory, file)));
}

/** Replaces the first match after the start of a line. */
async function replaceIn(directory: string, file: string, line: number, from: RegExp, to: string): Promise<void> {
  await change(directory, file, (bytes) => {
    const start = startOfLine(bytes, line);
    const rest = bytes.toString('latin1', start);
    expect(rest).toMatch(from);
    return Buffer.concat([bytes.subarray(0, start), Buffer.from(rest.replace(from, to), 'latin1')]);
  });
}

async function indexFile(directory: string, part: string): Promise<string> {
  const found = [...(await filesUnder(directory)).keys()].find(
    (path) => path.startsWith('index/') && path.includes(part),
  );
  if (found === undefined) throw new Error(`the index has no ${part}`);
  return found;
}

async function flipIn(directory: string, file: string, offset: (bytes: Buffer) => number, mask = 1): Promise<void> {
  await change(directory, file, (bytes) => {
    const at = offset(bytes);
    bytes[at] = (bytes[at] ?? 0) ^ mask;
    return bytes;
  });
}

interface Damage {
  readonly name: string;
  readonly damage: (directory: string) => Promise<void>;
  readonly code: string;
  readonly file: string | ((directory: string) => Promise<string>);
  readonly line?: number;
}

const DAMAGES: readonly Damage[] = [
  {
    name: 'one flipped bit in a text of a raw line',
    damage: (directory) => flipIn(directory, RAW, (bytes) => bytes.indexOf('did not answer', startOfLine(bytes, 37))),
    code: 'RAW_LINE_DAMAGED',
    file: RAW,
    line: 37,
  },
  {
    name: 'a raw newline that was changed to another character',
    damage: (directory) => flipIn(directory, RAW, (bytes) => startOfLine(bytes, 38) - 1, 4),
    code: 'RAW_LINE_DAMAGED',
    file: RAW,
    line: 37,
  },
  {
    name: 'a raw line that was overwritten',
    damage: (directory) =>
      change(directory, RAW, (bytes) => bytes.fill('x', startOfLine(bytes, 21), startOfLine(bytes, 22) - 1)),
    code: 'RAW_LINE_DAMAGED',
    file: RAW,
    line: 21,
  },
  {
    name: 'two flipped bits in texts of a commit',
    damage: (directory) =>
      change(directory, RAW, (bytes) => {
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
    damage: (directory) => replaceIn(directory, RAW, 50, /"service":"api"/, '"service":"bpj"'),
    code: 'RAW_LINE_DAMAGED',
    file: RAW,
    line: 50,
  },
  {
    name: 'an extra newline',
    damage: (directory) => replaceIn(directory, RAW, 33, /the .+? did/, ' \n\n '.padEnd(9)),
    code: 'RAW_LINES_DAMAGED',
    file: RAW,
    line: 32,
  },
  {
    name: 'another first line in a commit record',
    damage: (directory) => replaceIn(directory, COMMITS, 3, /"line":48/, '"line":49'),
    code: 'COMMIT_GAP',
    file: COMMITS,
    line: 3,
  },
  {
    name: 'another count of lines in a commit record',
    damage: (directory) => replaceIn(directory, COMMITS, 3, /"lines":16/, '"lines":17'),
    code: 'COMMIT_RECORD_CHANGED',
    file: COMMITS,
    line: 3,
  },
  {
    name: 'another offset in a commit record',
    damage: (directory) => replaceIn(directory, COMMITS, 3, /"offset":\d/, '"offset":8'),
    code: 'COMMIT_RECORD_CHANGED',
    file: COMMITS,
    line: 3,
  },
  {
    name: 'another length in a commit record',
    damage: (directory) => replaceIn(directory, COMMITS, 3, /"bytes":\d/, '"bytes":4'),
    code: 'COMMIT_RECORD_CHANGED',
    file: COMMITS,
    line: 3,
  },
  {
    name: 'another length in the last commit record',
    damage: (directory) => replaceIn(directory, COMMITS, 24, /"bytes":\d/, '"bytes":4'),
    code: 'COMMIT_RECORD_CHANGED',
    file: COMMITS,
    line: 24,
  },
  {
    name: 'another checksum in a commit record',
    damage: (directory) =>
      flipIn(directory, COMMITS, (bytes) => bytes.indexOf('"crc32c":"', startOfLine(bytes, 3)) + 10),
    code: 'COMMIT_RECORD_CHANGED',
    file: COMMITS,
    line: 3,
  },
  {
    name: 'another hour in a commit record',
    damage: (directory) => replaceIn(directory, COMMITS, 3, /T10/, 'T11'),
    code: 'COMMIT_OUTSIDE_HOUR',
    file: COMMITS,
    line: 3,
  },
  {
    name: 'an earlier minute in a commit record',
    damage: (directory) => replaceIn(directory, COMMITS, 3, /T10:03/, 'T10:01'),
    code: 'COMMIT_TIME_BACKWARDS',
    file: COMMITS,
    line: 3,
  },
  {
    name: 'a changed second in a commit record, which only the index shows',
    damage: (directory) => replaceIn(directory, COMMITS, 3, /T10:03:00/, 'T10:03:01'),
    code: 'INDEX_ROWS_WITHOUT_LINES',
    file: RAW,
    line: 48,
  },
  {
    name: 'a commit record with a changed key',
    damage: (directory) => replaceIn(directory, COMMITS, 3, /"lines"/, '"limes"'),
    code: 'COMMIT_RECORD_INVALID',
    file: COMMITS,
    line: 3,
  },
  {
    name: 'a commit record that counts more lines than fit into memory',
    damage: (directory) =>
      replaceIn(
        directory,
        COMMITS,
        3,
        /"lines":16(.*?)"bytes":\d+/,
        '"lines":9007199254740991$1"bytes":9007199254740991',
      ),
    code: 'COMMIT_RECORD_INVALID',
    file: COMMITS,
    line: 3,
  },
  {
    name: 'a very long line in a commit file',
    damage: (directory) => replaceIn(directory, COMMITS, 3, /^/, `${'x'.repeat(200_000)}\n`),
    code: 'COMMIT_RECORD_INVALID',
    file: COMMITS,
    line: 3,
  },
  {
    name: 'a changed key of a batch id',
    damage: (directory) => replaceIn(directory, COMMITS, 10, /"marks"/, '"narks"'),
    code: 'COMMIT_RECORD_INVALID',
    file: COMMITS,
    line: 10,
  },
  {
    name: 'a commit record that was deleted',
    damage: (directory) =>
      change(directory, COMMITS, (bytes) =>
        Buffer.concat([bytes.subarray(0, startOfLine(bytes, 3)), bytes.subarray(startOfLine(bytes, 4))]),
      ),
    code: 'COMMIT_GAP',
    file: COMMITS,
    line: 3,
  },
  {
    name: 'a torn last commit record',
    damage: async (directory) => truncate(join(directory, COMMITS), (await bytesOf(directory, COMMITS)).length - 7),
    code: 'COMMIT_TORN',
    file: COMMITS,
    line: 24,
  },
  {
    name: 'a raw file that is cut off',
    damage: async (directory) => truncate(join(directory, RAW), startOfLine(await bytesOf(directory, RAW), 390) + 5),
    code: 'RAW_TRUNCATED',
    file: RAW,
    line: 390,
  },
  {
    name: 'a raw file that is longer than its commits',
    damage: (directory) => change(directory, RAW, (bytes) => Buffer.concat([bytes, Buffer.from('{"half":')])),
    code: 'RAW_UNCOMMITTED_TAIL',
    file: RAW,
    line: 400,
  },
  {
    name: 'a commit file that is missing',
    damage: (directory) => rm(join(directory, COMMITS)),
    code: 'COMMITS_MISSING',
    file: COMMITS,
  },
  {
    name: 'a raw file that is missing',
    damage: (directory) => rm(join(directory, RAW)),
    code: 'RAW_MISSING',
    file: RAW,
    line: 0,
  },
  {
    name: 'a partition that is missing',
    damage: (directory) => rm(join(directory, API_AT_TEN), { recursive: true }),
    code: 'PARTITION_MISSING',
    file: API_AT_TEN,
  },
  {
    name: 'the last partition that is missing',
    damage: (directory) => rm(join(directory, API_AT_ELEVEN), { recursive: true }),
    code: 'PARTITION_MISSING',
    file: API_AT_ELEVEN,
  },
  {
    name: 'a partition under another name',
    damage: (directory) => rename(join(directory, 'raw/staging/worker'), join(directory, 'raw/staging/walker')),
    code: 'RAW_LINE_MISPLACED',
    file: `${WORKER_AT_TEN.replace('worker', 'walker')}/raw.ndjson`,
    line: 0,
  },
  {
    name: 'an action with a changed key',
    damage: (directory) => replaceIn(directory, 'actions.ndjson', 1, /"action"/, '"axtion"'),
    code: 'ACTION_INVALID',
    file: 'actions.ndjson',
    line: 1,
  },
  {
    name: 'a torn action',
    damage: async (directory) =>
      truncate(join(directory, 'actions.ndjson'), (await bytesOf(directory, 'actions.ndjson')).length - 3),
    code: 'ACTION_TORN',
    file: 'actions.ndjson',
    line: 2,
  },
  ...['manifest', '/events/', '/cards/', '/states/'].flatMap((part): Damage[] => [
    {
      name: `one flipped bit in the index (${part})`,
      damage: async (directory) => flipIn(directory, await indexFile(directory, part), (bytes) => bytes.length - 20),
      code: 'INDEX_DOCUMENT_DAMAGED',
      file: (directory) => indexFile(directory, part),
    },
    {
      name: `an index document that is cut off (${part})`,
      damage: async (directory) => truncate(join(directory, await indexFile(directory, part)), 100),
      code: 'INDEX_DOCUMENT_DAMAGED',
      file: (directory) => indexFile(directory, part),
    },
    {
      name: `an index document of a newer format (${part})`,
      damage: async (directory) =>
        replaceIn(directory, await indexFile(directory, part), 0, /"format":\d+/, '"format":99'),
      code: 'INDEX_VERSION',
      file: (directory) => indexFile(directory, part),
    },
  ]),
  {
    name: 'an index document that is missing',
    damage: async (directory) => rm(join(directory, await indexFile(directory, '/cards/'))),
    code: 'INDEX_DOCUMENT_MISSING',
    file: (directory) => indexFile(directory, '/cards/'),
  },
  {
    name: 'an index without its manifest',
    damage: (directory) => rm(join(directory, 'index/manifest.json')),
    code: 'INDEX_DOCUMENT_MISSING',
    file: 'index/manifest.json',
  },
  {
    name: 'a lock that cannot be read',
    damage: (directory) => writeFile(join(directory, 'LOCK'), 'mine'),
    code: 'LOCK_UNREADABLE',
    file: 'LOCK',
  },
  {
    name: 'a raw file that is a folder',
    damage: async (directory) => {
      await rm(join(directory, RAW));
      await symlink('.', join(directory, RAW));
    },
    code: 'FILE_UNREADABLE',
    file: API_AT_TEN,
  },
];

describe('verify of a damaged folder', () => {
  it.each(DAMAGES)('names file, line and code of $name', async ({ damage, code, file, line }) => {
    const directory = await damagedCopy();
    const expected = { code, file: typeof file === 'string' ? file : await file(directory), severity: 'damage' };
    await damage(directory);
    const { findings, summary } = await verify(directory);
    expect(findings).toContainEqual(expect.objectContaining(line === undefined ? expected : { ...expected, line }));
    expect(summary.damages).toBeGreaterThan(0);
    expect(findings.length).toBeLessThan(30);
  });

  it.each(DAMAGES)('lets the store open or fail with a Fault, without deleting anything: $name', async ({ damage }) => {
    const directory = await damagedCopy();
    await damage(directory);
    const before = await filesUnder(directory);
    const faults: Error[] = [];
    const opening = openStore(directory, { onFault: (fault) => faults.push(fault) });
    const store = await opening.catch((error: unknown) => error);
    if (store instanceof Fault) {
      expect(['STORE_LOCKED', 'STORE_UNAVAILABLE']).toContain(store.code);
    } else if (typeof store === 'object' && store !== null && 'close' in store) {
      const opened = await opening;
      expect((await opened.reader.listIssues({ limit: 5 })).issues.length).toBeGreaterThan(0);
      await append(opened, [kindOfFailure(3)]);
      await opened.close();
    } else {
      throw store;
    }
    expect(lostEvidence(before, await filesUnder(directory))).toEqual([]);
  });

  it('reports changed fingerprints and nothing else', async () => {
    const directory = await damagedCopy();
    const at = (bytes: Buffer): number => bytes.indexOf('"values":"') + 20;
    for (const mask of [0x01, 0x20]) {
      await flipIn(directory, COMMITS, at, mask);
      const { findings } = await verify(directory);
      expect(findings).toMatchObject([
        { code: 'COMMIT_FINGERPRINTS_DAMAGED', severity: 'damage', file: COMMITS, line: 0, offset: 0 },
      ]);
      await flipIn(directory, COMMITS, at, mask);
    }
    expect((await verify(directory)).findings).toEqual([]);
  });

  it('reports one finding for one damage where it can', async () => {
    const directory = await damagedCopy();
    await flipIn(directory, RAW, (bytes) => bytes.indexOf('did not answer', startOfLine(bytes, 37)));
    const { findings } = await verify(directory);
    expect(findings).toHaveLength(1);
    expect(findings[0]?.damage).toMatch(/One bit of line 37 is flipped: .* with 0x64 instead of 0x65 at byte \d+\./);
  });
});

describe('verify of event ids', () => {
  it('reports lines with equal number and time in two partitions whose hashes collide', async () => {
    const directory = await temporaryFolder();
    const store = await openStore(directory, { nowMs: () => TEN_O_CLOCK_MS });
    const services = collidingServices();
    await append(
      store,
      services.map((service) => kindOfFailure(1, { service })),
    );
    await store.close();
    expect((await verify(directory)).summary.damages).toBe(0);
    // Equal hashes without the id of the folder.
    await rm(join(directory, 'folder-id.json'));
    await rm(join(directory, 'raw/@folder-id.json'));
    const { findings } = await verify(directory);
    expect(findings).toContainEqual(
      expect.objectContaining({ code: 'EVENT_ID_DUPLICATE', line: 0, severity: 'damage' }),
    );
  });
});

describe('verify of a folder without damage', () => {
  it('finds nothing', async () => {
    const directory = await damagedCopy();
    const { findings, summary } = await verify(directory);
    expect(findings).toEqual([]);
    expect(summary).toEqual({ partitions: 3, events: 660, damages: 0, notes: 0 });
  });

  it('writes nothing', async () => {
    const directory = await damagedCopy();
    const before = await hashesUnder(directory);
    await verify(directory);
    expect(await hashesUnder(directory)).toEqual(before);
  });

  it('accepts an empty folder and rejects a missing one', async () => {
    const directory = await temporaryFolder();
    expect((await verify(directory)).summary).toMatchObject({ partitions: 0, damages: 0 });
    await expect(verify(join(directory, 'none'))).rejects.toMatchObject({ code: 'FOLDER_NOT_FOUND' });
  });

  it('notes files that are foreign, set aside or salvaged', async () => {
    const directory = await damagedCopy();
    await writeFile(join(directory, RAW), `${await bytesOf(directory, RAW)}{"half":`);
    await rm(join(directory, 'index/manifest.json'));
    await (await openStore(directory)).close();
    await writeFile(join(directory, API_AT_TEN, 'notes.txt'), 'mine');
    await writeFile(join(directory, 'copy\u001b[2J.txt'), 'mine');
    const { findings, summary } = await verify(directory);
    expect(summary.damages).toBe(0);
    expect(findings.map(({ code, file }) => `${code} ${file}`).sort()).toEqual([
      'FOREIGN_NAME copy\u001b[2J.txt',
      `FOREIGN_NAME ${API_AT_TEN}/notes.txt`,
      'INDEX_SET_ASIDE index.unusable-1',
      expect.stringMatching(/^SALVAGED salvage\/.*\.bin$/),
    ]);
  });

  it('notes a missing index, because the next start rebuilds it', async () => {
    const directory = await damagedCopy();
    await rm(join(directory, 'index'), { recursive: true });
    const { findings } = await verify(directory);
    expect(findings).toMatchObject([{ code: 'INDEX_MISSING', severity: 'note' }]);
  });

  it('runs while a writer appends and writes checkpoints', async () => {
    const directory = await damagedCopy();
    const store = await openStore(directory, { checkpointIntervalMs: 100 });
    let isDone = false;
    const appending = (async () => {
      for (let index = 0; !isDone; index += 1) {
        await append(store, [kindOfFailure(index % 90), kindOfFailure(index % 7, { service: `s${index % 3}` })]);
        // Yield between appends, so that writing does not take most of the time.
        for (let turns = 0; turns < 5; turns += 1) await turn();
      }
    })();
    for (let round = 0; round < 3; round += 1) {
      const { findings } = await verify(directory);
      expect(findings.filter(({ severity }) => severity === 'damage')).toEqual([]);
      expect(findings).toContainEqual(expect.objectContaining({ code: 'WRITER_RUNNING', severity: 'note' }));
    }
    isDone = true;
    await appending;
    await store.close();
    expect((await verify(directory)).findings).toEqual([]);
  });

  it('does not report uncommitted data of a running writer as damage', async () => {
    const directory = await damagedCopy();
    const store = await openStore(directory);
    await change(directory, RAW, (bytes) => Buffer.concat([bytes, Buffer.from('{"half":')]));
    await change(directory, COMMITS, (bytes) => Buffer.concat([bytes, Buffer.from('{"line":400,')]));
    const { findings, summary } = await verify(directory);
    expect(summary.damages).toBe(0);
    expect(findings.map(({ code }) => code)).toEqual(['WRITER_RUNNING', 'COMMIT_UNDER_WAY']);
    await store.close();
  });
});
