import { hash } from 'node:crypto';
import { rm, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { Finding } from '../../../../core/storage/verify/finding.js';
import { verifyFolder } from '../../../../core/storage/verify/verify-folder.js';
import { kindOfFailure } from '../../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { collidingServices } from '../record/colliding-services.js';
import { createMemoryDisk, type MemoryDisk } from '../record/memory-disk.js';
import { storeUnderTest } from '../store-under-test.js';
import { TEN_O_CLOCK_MS } from '../ten-o-clock.js';
import { at, COMMITS, change, flipIn, RAW, startOfLine } from './damages.js';
import { API_AT_TEN, append, filesUnder, openStore, sampleFolder, verify } from './sample-folder.js';

afterAll(removeTemporaryFolders);

let sample: Promise<MemoryDisk> | undefined;
async function copyOfSample(): Promise<MemoryDisk> {
  sample ??= sampleFolder();
  return (await sample).copy();
}

/** Every file with a hash of its bytes, because `toEqual` is slow on the bytes. */
async function hashesUnder(disk: MemoryDisk): Promise<[string, string][]> {
  return [...(await filesUnder(disk))].map(([path, bytes]) => [path, hash('sha256', bytes)]);
}

describe('verify of a damaged folder', () => {
  it('reports changed fingerprints and nothing else', async () => {
    const disk = await copyOfSample();
    const inValues = (bytes: Buffer): number => bytes.indexOf('"values":"') + 20;
    for (const mask of [0x01, 0x20]) {
      await flipIn(disk, COMMITS, inValues, mask);
      const { findings } = await verify(disk);
      expect(findings).toMatchObject([
        { code: 'COMMIT_FINGERPRINTS_DAMAGED', severity: 'damage', file: COMMITS, line: 0, offset: 0 },
      ]);
      await flipIn(disk, COMMITS, inValues, mask);
    }
    expect((await verify(disk)).findings).toEqual([]);
  });

  it('reports one finding for one damage where it can', async () => {
    const disk = await copyOfSample();
    await flipIn(disk, RAW, (bytes) => bytes.indexOf('did not answer', startOfLine(bytes, 37)));
    const { findings } = await verify(disk);
    expect(findings).toHaveLength(1);
    expect(findings[0]?.damage).toMatch(/One bit of line 37 is flipped: .* with 0x64 instead of 0x65 at byte \d+\./);
  });
});

describe('verify of a folder of the version before', () => {
  it('finds nothing wrong with commit records that have `plain_from`', async () => {
    const disk = await copyOfSample();
    await change(disk, COMMITS, (bytes) =>
      Buffer.from(bytes.toString().replaceAll('"fingerprints":', '"plain_from":0,"fingerprints":')),
    );
    expect((await verify(disk)).findings).toEqual([]);
  });
});

describe('verify of a folder on a real disk', () => {
  it('reports a raw file that is a link', async () => {
    const { store, directory, append } = await storeUnderTest();
    const [stored] = await append({});
    await store.close();
    const raw = stored?.raw.path ?? '';
    await rm(raw);
    await symlink('.', raw);
    const findings: Finding[] = [];
    await verifyFolder({ directory, onFinding: (finding) => findings.push(finding) });
    expect(findings).toContainEqual(
      expect.objectContaining({ code: 'FILE_UNREADABLE', file: relative(directory, dirname(raw)) }),
    );
  });
});

describe('verify of event ids', () => {
  it('reports lines with equal number and time in two partitions whose hashes collide', async () => {
    const disk = createMemoryDisk();
    const store = await openStore(disk, { nowMs: () => TEN_O_CLOCK_MS });
    const services = collidingServices();
    await append(
      store,
      services.map((service) => kindOfFailure(1, { service })),
    );
    await store.close();
    expect((await verify(disk)).summary.damages).toBe(0);
    // Equal hashes without the id of the folder.
    disk.pull(at('folder-id.json'));
    disk.pull(at('raw/@folder-id.json'));
    const { findings } = await verify(disk);
    expect(findings).toContainEqual(
      expect.objectContaining({ code: 'EVENT_ID_DUPLICATE', line: 0, severity: 'damage' }),
    );
  });
});

describe('verify of a folder without damage', () => {
  it('finds nothing', async () => {
    const disk = await copyOfSample();
    const { findings, summary } = await verify(disk);
    expect(findings).toEqual([]);
    expect(summary).toEqual({ partitions: 3, events: 304, damages: 0, notes: 0 });
  });

  it('writes nothing', async () => {
    const disk = await copyOfSample();
    const before = await hashesUnder(disk);
    await verify(disk);
    expect(await hashesUnder(disk)).toEqual(before);
  });

  it('accepts an empty folder and rejects a missing one', async () => {
    const directory = await temporaryFolder();
    const onFinding = (): void => undefined;
    expect(await verifyFolder({ directory, onFinding })).toMatchObject({ partitions: 0, damages: 0 });
    const missing = verifyFolder({ directory: join(directory, 'none'), onFinding });
    await expect(missing).rejects.toMatchObject({ code: 'FOLDER_NOT_FOUND' });
  });

  it('notes files that are foreign, set aside or salvaged', async () => {
    const disk = await copyOfSample();
    await change(disk, RAW, (bytes) => Buffer.concat([bytes, Buffer.from('{"half":')]));
    disk.pull(at('index/manifest.json'));
    await (await openStore(disk)).close();
    await change(disk, `${API_AT_TEN}/notes.txt`, () => Buffer.from('mine'));
    await change(disk, 'copy\u001b[2J.txt', () => Buffer.from('mine'));
    const { findings, summary } = await verify(disk);
    expect(summary.damages).toBe(0);
    expect(findings.map(({ code, file }) => `${code} ${file}`).sort()).toEqual([
      'FOREIGN_NAME copy\u001b[2J.txt',
      `FOREIGN_NAME ${API_AT_TEN}/notes.txt`,
      'INDEX_SET_ASIDE index.unusable-1',
      expect.stringMatching(/^SALVAGED salvage\/.*\.bin$/),
    ]);
  });

  it('notes a missing index, because the next start rebuilds it', async () => {
    const disk = await copyOfSample();
    disk.pull(at('index'));
    const { findings } = await verify(disk);
    expect(findings).toMatchObject([{ code: 'INDEX_MISSING', severity: 'note' }]);
  });

  it('runs while a writer appends and writes checkpoints', async () => {
    const disk = await copyOfSample();
    const store = await openStore(disk, { checkpointIntervalMs: 100 });
    let isDone = false;
    const appending = (async () => {
      for (let index = 0; !isDone; index += 1) {
        await append(store, [kindOfFailure(index % 90), kindOfFailure(index % 7, { service: `s${index % 3}` })]);
        // Yield between appends, so that writing does not take most of the time.
        for (let turns = 0; turns < 5; turns += 1) await turn();
      }
    })();
    for (let round = 0; round < 3; round += 1) {
      const { findings } = await verify(disk);
      expect(findings.filter(({ severity }) => severity === 'damage')).toEqual([]);
      expect(findings).toContainEqual(expect.objectContaining({ code: 'WRITER_RUNNING', severity: 'note' }));
    }
    isDone = true;
    await appending;
    await store.close();
    expect((await verify(disk)).findings).toEqual([]);
  });

  it('does not report uncommitted data of a running writer as damage', async () => {
    const disk = await copyOfSample();
    const store = await openStore(disk);
    await change(disk, RAW, (bytes) => Buffer.concat([bytes, Buffer.from('{"half":')]));
    await change(disk, COMMITS, (bytes) => Buffer.concat([bytes, Buffer.from('{"line":192,')]));
    const { findings, summary } = await verify(disk);
    expect(summary.damages).toBe(0);
    expect(findings.map(({ code }) => code)).toEqual(['WRITER_RUNNING', 'COMMIT_UNDER_WAY']);
    await store.close();
  });
});
