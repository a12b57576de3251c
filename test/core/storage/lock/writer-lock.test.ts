import { mkdir, readdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { nodeFiles } from '../../../../core/storage/files/node-files.js';
import type { ProcessTable } from '../../../../core/storage/files/process-table.js';
import { systemProcesses } from '../../../../core/storage/files/process-table.js';
import type { StoreFiles } from '../../../../core/storage/files/store-files.js';
import { openWriterLock, readWriterLock, type WriterLock } from '../../../../core/storage/lock/writer-lock.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { failingFiles } from '../record/failing-files.js';

const files = nodeFiles;

/** A kernel or a file system that has no locks. */
const withoutLocks: StoreFiles = {
  ...nodeFiles,
  open: async (path, mode) => {
    const file = await nodeFiles.open(path, mode);
    return Object.assign(file, { tryLock: async () => undefined });
  },
};

afterAll(removeTemporaryFolders);

const BOOT = 'boot-1';
const PROCESSES: ProcessTable = {
  pid: 1,
  host: 'box',
  pidNamespace: 'pid:[1]',
  isAlive: (pid) => pid === 1,
  startOf: (pid) => (pid === 1 ? `${BOOT}:5120` : undefined),
};
/** Another process of the same namespace, to which the first one is visible, or gone. */
const beside: ProcessTable = {
  ...PROCESSES,
  pid: 2,
  isAlive: (pid) => pid <= 2,
  startOf: (pid) => ({ 1: `${BOOT}:5120`, 2: `${BOOT}:6000` })[pid],
};
const after: ProcessTable = { ...beside, isAlive: (pid) => pid === 2 };

const lockOf = async (directory: string): Promise<Record<string, unknown>> =>
  JSON.parse(await readFile(join(directory, 'LOCK'), 'utf8'));

/** What a holder leaves whose process ends without a word. */
async function leftBy(processes: ProcessTable, by: StoreFiles, changes: object = {}): Promise<string> {
  const directory = await temporaryFolder();
  const lock = await openWriterLock({ directory, files: by, processes });
  const left = JSON.stringify({ ...(await lockOf(directory)), ...changes });
  await lock.close();
  for (const name of ['LOCK', 'LOCK.held']) await writeFile(join(directory, name), left);
  return directory;
}

const codeOf = (opening: Promise<WriterLock>): Promise<unknown> =>
  opening.then(
    async (lock) => {
      await lock.close();
      return 'taken';
    },
    ({ code }) => code,
  );

describe('openWriterLock', () => {
  it('says in LOCK who writes, and leaves it empty when it gives it back', async () => {
    const directory = join(await temporaryFolder(), 'made', 'for it');
    const lock = await openWriterLock({ directory, files, nowMs: () => Date.UTC(2026, 10, 21) });
    expect(await lockOf(directory)).toEqual({
      pid: process.pid,
      host: hostname(),
      started_at: '2026-11-21T00:00:00.000Z',
      process_start: systemProcesses.startOf(process.pid) ?? null,
      pid_namespace: systemProcesses.pidNamespace,
      kernel_lock: true,
    });
    await lock.close();
    await lock.close();
    expect((await readdir(directory)).toSorted()).toEqual(['LOCK', 'LOCK.held']);
    expect(await readFile(join(directory, 'LOCK'), 'utf8')).toBe('');
  });

  it('ends with a reason where no folder can be made, or a file stands in its place', async () => {
    await expect(openWriterLock({ directory: '/proc/nothing', files })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('ENOENT'),
    });
    const file = join(await temporaryFolder(), 'file');
    await writeFile(file, '');
    await expect(openWriterLock({ directory: file, files })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining(`${file} is a file, not a folder`),
    });
  });

  it('refuses a second writer and names the first, whatever the second sees of it', async () => {
    const directory = await temporaryFolder();
    const lock = await openWriterLock({ directory, files, nowMs: () => Date.UTC(2026, 10, 21) });
    for (const processes of [systemProcesses, after, { ...systemProcesses, isAlive: () => false }]) {
      const second = openWriterLock({ directory, files, processes });
      await expect(second).rejects.toMatchObject({ code: 'STORE_LOCKED', retryable: false });
      await expect(second).rejects.toThrow(`process ${process.pid} on ${hostname()}, started 2026-11-21T00:00:00.000Z`);
    }
    expect(await lockOf(directory)).toMatchObject({ pid: process.pid });
    await lock.close();
    await (await openWriterLock({ directory, files })).close();
  });

  it('refuses beside a holder whose LOCK somebody removed, until that one is done', async () => {
    const directory = await temporaryFolder();
    const first = await openWriterLock({ directory, files, processes: PROCESSES });
    await unlink(join(directory, 'LOCK'));
    const second = () => openWriterLock({ directory, files, processes: beside });
    await expect(second()).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    await expect(second()).rejects.toThrow('process 1 on box, started ');
    expect(await readWriterLock(files, directory)).toMatchObject({ isHeld: true, holder: { pid: 1 } });
    await first.close();
    await (await second()).close();
  });

  it('is not disturbed by those who look who holds it', async () => {
    const directory = await temporaryFolder();
    // Each attempt finds somebody looking who has closed the file when it tries again.
    const looked: Promise<unknown>[] = [];
    for (let round = 0; round < 50; round += 1) {
      looked.push(readWriterLock(files, directory), readWriterLock(files, directory));
      await (await openWriterLock({ directory, files })).close();
    }
    await Promise.all(looked);
  });

  it('lets one of many win who find the lock of a dead process at the same time', async () => {
    const directory = await leftBy(PROCESSES, files);
    const attempts = await Promise.allSettled(
      Array.from({ length: 12 }, () => openWriterLock({ directory, files, processes: after })),
    );
    const won = attempts.filter((attempt) => attempt.status === 'fulfilled');
    expect(won).toHaveLength(1);
    await won[0]?.value.close();
  });

  it.each(['{', 'half a li', '{"pid":1}', '\0\0\0'])(
    'writes a damaged LOCK anew when nobody holds it, and says so: %j',
    async (content) => {
      const directory = await temporaryFolder();
      await writeFile(join(directory, 'LOCK'), content);
      expect(await readWriterLock(files, directory)).toMatchObject({ isHeld: false, isDamaged: true });
      const faults: unknown[] = [];
      const lock = await openWriterLock({ directory, files, onFault: (fault) => faults.push(fault) });
      expect(faults).toEqual([expect.objectContaining({ code: 'LOCK_UNREADABLE' })]);
      expect(await lockOf(directory)).toMatchObject({ pid: process.pid });
      await lock.close();
    },
  );

  it('sets a folder aside that is called LOCK', async () => {
    const directory = await temporaryFolder();
    await mkdir(join(directory, 'LOCK', 'full'), { recursive: true });
    expect(await readWriterLock(files, directory)).toMatchObject({ isHeld: false, isDamaged: true });
    const faults: unknown[] = [];
    const lock = await openWriterLock({ directory, files, onFault: (fault) => faults.push(fault) });
    expect(faults).toEqual([expect.objectContaining({ code: 'LOCK_UNREADABLE' })]);
    expect(await readdir(join(directory, 'LOCK.unusable'))).toEqual(['full']);
    await lock.close();
  });

  it('is taken by the next one wherever an opener dies, also one that was taking over', async () => {
    for (const hasStale of [false, true]) {
      const attempt = async (diesAt: number): Promise<number> => {
        const directory = hasStale ? await leftBy(PROCESSES, files) : await temporaryFolder();
        const dying = failingFiles(nodeFiles);
        dying.arm({ code: 'EIO', at: diesAt, times: Number.POSITIVE_INFINITY });
        const died = openWriterLock({ directory, files: dying, processes: after });
        await died.then(
          (lock) => lock.close().catch(() => undefined),
          (error: unknown) => expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' }),
        );
        expect(dying.openFiles).toBe(0);
        const lock = await openWriterLock({ directory, files, processes: after });
        expect(await lockOf(directory)).toMatchObject({ pid: 2 });
        await lock.close();
        return dying.calls;
      };
      const calls = await attempt(Number.POSITIVE_INFINITY);
      for (let diesAt = 0; diesAt < calls; diesAt += 1) await attempt(diesAt);
      expect(calls).toBeGreaterThan(5);
    }
  });
});

describe('what a holder left that was ended, where the kernel says that nobody holds the lock', () => {
  it.each<[string, ProcessTable, string, object?]>([
    ['is taken over from another PID namespace', { ...PROCESSES, pidNamespace: 'pid:[2]' }, 'taken'],
    ['is taken over although the host has another name by now', { ...PROCESSES, host: 'pod-2' }, 'taken'],
    ['is taken over after a reboot', { ...PROCESSES, startOf: () => 'boot-2:5120' }, 'taken'],
    ['stays on another kernel of another name', { ...PROCESSES, host: 'b', startOf: () => 'boot-2:1' }, 'STORE_LOCKED'],
    ['stays where that one had no kernel lock, and may run', beside, 'STORE_LOCKED', { kernel_lock: false }],
    ['is taken over where that one had no kernel lock, and is gone', after, 'taken', { kernel_lock: false }],
    [
      'is taken over where the system knows no boot',
      { ...after, startOf: () => undefined },
      'taken',
      { process_start: null },
    ],
    [
      'stays on another host where no boot is known',
      { ...after, host: 'b', startOf: () => undefined },
      'STORE_LOCKED',
      { process_start: null },
    ],
  ])('%s', async (_, processes, expected, changes = {}) => {
    const directory = await leftBy(PROCESSES, files, changes);
    expect(await readWriterLock(files, directory, processes)).toMatchObject({ isHeld: expected !== 'taken' });
    expect(await codeOf(openWriterLock({ directory, files, processes }))).toBe(expected);
  });

  it('is removed by the person who was told to', async () => {
    const directory = await leftBy({ ...PROCESSES, host: 'gone', startOf: () => 'boot-0:1' }, files);
    const lock = join(directory, 'LOCK');
    const refused = openWriterLock({ directory, files, processes: PROCESSES });
    await expect(refused).rejects.toThrow(
      `if it no longer runs, which cannot be seen from here, remove ${lock} and ${lock}.held.`,
    );
    for (const name of await readdir(directory)) await unlink(join(directory, name));
    await (await openWriterLock({ directory, files, processes: PROCESSES })).close();
  });
});

describe('where the kernel has no locks', () => {
  it.each<[string, ProcessTable, string, object?]>([
    ['the process is gone', after, 'taken'],
    ['its number belongs to a later process', { ...beside, startOf: (pid) => `${BOOT}:${7000 + pid}` }, 'taken'],
    ['the host was started again', { ...beside, startOf: () => 'boot-2:5120' }, 'taken'],
    ['the process runs', beside, 'STORE_LOCKED'],
    ['it may run in another PID namespace', { ...after, pidNamespace: 'pid:[2]' }, 'STORE_LOCKED'],
    ['the system tells no namespace', { ...after, pidNamespace: null }, 'STORE_LOCKED', { pid_namespace: null }],
    ['it is of another host', { ...after, host: 'other' }, 'STORE_LOCKED'],
    ['an earlier version wrote it', after, 'STORE_LOCKED', { pid_namespace: undefined, kernel_lock: undefined }],
  ])(
    'a folder is taken over only from a holder that is certainly gone: %s',
    async (_, processes, expected, changes = {}) => {
      const directory = await leftBy(PROCESSES, withoutLocks, changes);
      expect(await codeOf(openWriterLock({ directory, files: withoutLocks, processes }))).toBe(expected);
    },
  );

  it('LOCK says so, keeps a second one out while the first runs, and is given back', async () => {
    const directory = await temporaryFolder();
    const first = await openWriterLock({ directory, files: withoutLocks, processes: PROCESSES });
    expect(await lockOf(directory)).toMatchObject({ pid: 1, kernel_lock: false });
    const second = () => openWriterLock({ directory, files: withoutLocks, processes: beside });
    await expect(second()).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    await first.close();
    await (await second()).close();
    expect((await readdir(directory)).toSorted()).toEqual(['LOCK', 'LOCK.held']);
  });

  it('one of many wins who find the lock of a dead process at the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const directory = await leftBy(PROCESSES, withoutLocks);
      const attempts = await Promise.allSettled(
        Array.from({ length: 12 }, () => openWriterLock({ directory, files: withoutLocks, processes: after })),
      );
      expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
  });

  it.each(['{', 'half a li'])('a damaged LOCK is not touched: %j', async (content) => {
    const directory = await temporaryFolder();
    await writeFile(join(directory, 'LOCK'), content);
    const opening = openWriterLock({ directory, files: withoutLocks });
    await expect(opening).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    expect(await readFile(join(directory, 'LOCK'), 'utf8')).toBe(content);
  });

  it('a full disk leaves no LOCK that names half a holder', async () => {
    const directory = await temporaryFolder();
    for (const at of [0, 1]) {
      const full = failingFiles(withoutLocks);
      full.arm({ code: 'ENOSPC', only: ['write'], at, times: Number.POSITIVE_INFINITY });
      await expect(openWriterLock({ directory, files: full })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    }
    await (await openWriterLock({ directory, files: withoutLocks })).close();
  });
});

describe('systemProcesses', () => {
  it('knows this process and one that never was', () => {
    expect(systemProcesses.isAlive(process.pid)).toBe(true);
    expect(systemProcesses.isAlive(2 ** 30)).toBe(false);
    expect(systemProcesses.startOf(2 ** 30)).toBeUndefined();
    expect(systemProcesses.startOf(process.pid)).toBe(systemProcesses.startOf(process.pid));
  });
});
