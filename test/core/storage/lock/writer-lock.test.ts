import { mkdir, readdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { ProcessTable } from '../../../../core/storage/files/process-table.js';
import { systemProcesses } from '../../../../core/storage/files/process-table.js';
import type { StoreFiles } from '../../../../core/storage/files/store-files.js';
import { openWriterLock, readWriterLock } from '../../../../core/storage/lock/writer-lock.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { unsyncedFiles } from '../../../helpers/unsynced-files.js';
import { failingFiles } from '../record/failing-files.js';

const files = unsyncedFiles;

/** A kernel or a file system without locks. */
const withoutLocks: StoreFiles = {
  ...unsyncedFiles,
  open: async (path, mode) => {
    const file = await unsyncedFiles.open(path, mode);
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
/** A second process of the same namespace, while the first runs. */
const secondProcess: ProcessTable = {
  ...PROCESSES,
  pid: 2,
  isAlive: (pid) => pid <= 2,
  startOf: (pid) => ({ 1: `${BOOT}:5120`, 2: `${BOOT}:6000` })[pid],
};
/** The second process, after the first ended. */
const afterFirst: ProcessTable = { ...secondProcess, isAlive: (pid) => pid === 2 };

const lockOf = async (directory: string): Promise<Record<string, unknown>> =>
  JSON.parse(await readFile(join(directory, 'LOCK'), 'utf8'));

/** Creates a folder with the LOCK of a killed holder, with changes to its content. */
async function staleLock(processes: ProcessTable, storeFiles: StoreFiles, changes: object = {}): Promise<string> {
  const directory = await temporaryFolder();
  const lock = await openWriterLock({ directory, files: storeFiles, processes });
  const content = JSON.stringify({ ...(await lockOf(directory)), ...changes });
  await lock.close();
  for (const name of ['LOCK', 'LOCK.held']) await writeFile(join(directory, name), content);
  return directory;
}

const codeOf = (opening: ReturnType<typeof openWriterLock>): Promise<unknown> =>
  opening.then(
    async (lock) => {
      await lock.close();
      return 'acquired';
    },
    ({ code }) => code,
  );

describe('openWriterLock', () => {
  it('writes its process to LOCK, and empties LOCK when it is released', async () => {
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

  it('rejects with the cause if the folder cannot be created or is a file', async () => {
    await expect(openWriterLock({ directory: '/proc/nothing', files })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('ENOENT'),
    });
    const file = join(await temporaryFolder(), 'file');
    await writeFile(file, '');
    await expect(openWriterLock({ directory: file, files })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining(`${file} is not a folder. Set --data`),
    });
  });

  it('rejects a second writer and names the first, whether or not the second can see its process', async () => {
    const directory = await temporaryFolder();
    const lock = await openWriterLock({ directory, files, nowMs: () => Date.UTC(2026, 10, 21) });
    for (const processes of [systemProcesses, afterFirst, { ...systemProcesses, isAlive: () => false }]) {
      const second = openWriterLock({ directory, files, processes });
      await expect(second).rejects.toMatchObject({ code: 'STORE_LOCKED', retryable: false });
      await expect(second).rejects.toThrow(`process ${process.pid} on ${hostname()} since 2026-11-21T00:00:00.000Z`);
    }
    expect(await lockOf(directory)).toMatchObject({ pid: process.pid });
    await lock.close();
    await (await openWriterLock({ directory, files })).close();
  });

  it('rejects a second writer after LOCK was removed, until the first releases its lock', async () => {
    const directory = await temporaryFolder();
    const first = await openWriterLock({ directory, files, processes: PROCESSES });
    await unlink(join(directory, 'LOCK'));
    const second = () => openWriterLock({ directory, files, processes: secondProcess });
    await expect(second()).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    await expect(second()).rejects.toThrow('process 1 on box since ');
    expect(await readWriterLock(files, directory)).toMatchObject({ isHeld: true, holder: { pid: 1 } });
    await first.close();
    await (await second()).close();
  });

  it('is not disturbed by processes that read the holder', async () => {
    const directory = await temporaryFolder();
    // A read briefly holds the lock, so an attempt may have to be repeated.
    const reads: Promise<unknown>[] = [];
    for (let round = 0; round < 20; round += 1) {
      reads.push(readWriterLock(files, directory), readWriterLock(files, directory));
      await (await openWriterLock({ directory, files })).close();
    }
    await Promise.all(reads);
  });

  it('is acquired by one of many processes that open a stale lock at the same time', async () => {
    const directory = await staleLock(PROCESSES, files);
    const attempts = await Promise.allSettled(
      Array.from({ length: 12 }, () => openWriterLock({ directory, files, processes: afterFirst })),
    );
    const acquired = attempts.filter((attempt) => attempt.status === 'fulfilled');
    expect(acquired).toHaveLength(1);
    await acquired[0]?.value.close();
  });

  it.each(['{', 'half a li', '{"pid":1}', '\0\0\0'])(
    'rewrites a damaged LOCK without a holder, and reports it: %j',
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

  it('sets a folder aside that is named LOCK', async () => {
    const directory = await temporaryFolder();
    await mkdir(join(directory, 'LOCK', 'full'), { recursive: true });
    expect(await readWriterLock(files, directory)).toMatchObject({ isHeld: false, isDamaged: true });
    const faults: unknown[] = [];
    const lock = await openWriterLock({ directory, files, onFault: (fault) => faults.push(fault) });
    expect(faults).toEqual([expect.objectContaining({ code: 'LOCK_UNREADABLE' })]);
    expect(await readdir(join(directory, 'LOCK.unusable'))).toEqual(['full']);
    await lock.close();
  });

  it('is acquired by the next process after another died at any call of opening it, also a stale one', async () => {
    for (const isStale of [false, true]) {
      const attempt = async (diesAt: number): Promise<number> => {
        const directory = isStale ? await staleLock(PROCESSES, files) : await temporaryFolder();
        const dying = failingFiles(unsyncedFiles);
        dying.arm({ code: 'EIO', at: diesAt, times: Number.POSITIVE_INFINITY });
        const died = openWriterLock({ directory, files: dying, processes: afterFirst });
        await died.then(
          (lock) => lock.close().catch(() => undefined),
          (error: unknown) => expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' }),
        );
        expect(dying.openFiles).toBe(0);
        const lock = await openWriterLock({ directory, files, processes: afterFirst });
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

describe('the LOCK of an ended holder, with kernel locks', () => {
  it.each<[string, ProcessTable, string, object?]>([
    ['is acquired from another PID namespace', { ...PROCESSES, pidNamespace: 'pid:[2]' }, 'acquired'],
    ['is acquired after the host was renamed', { ...PROCESSES, host: 'pod-2' }, 'acquired'],
    ['is acquired after a reboot', { ...PROCESSES, startOf: () => 'boot-2:5120' }, 'acquired'],
    [
      'stays locked on another kernel of another name',
      { ...PROCESSES, host: 'b', startOf: () => 'boot-2:1' },
      'STORE_LOCKED',
    ],
    [
      'stays locked if the holder had no kernel lock and may run',
      secondProcess,
      'STORE_LOCKED',
      { kernel_lock: false },
    ],
    ['is acquired if the holder had no kernel lock and has ended', afterFirst, 'acquired', { kernel_lock: false }],
    [
      'is acquired if the boot id is unknown',
      { ...afterFirst, startOf: () => undefined },
      'acquired',
      { process_start: null },
    ],
    [
      'stays locked on another host if the boot id is unknown',
      { ...afterFirst, host: 'b', startOf: () => undefined },
      'STORE_LOCKED',
      { process_start: null },
    ],
  ])('%s', async (_, processes, expected, changes = {}) => {
    const directory = await staleLock(PROCESSES, files, changes);
    expect(await readWriterLock(files, directory, processes)).toMatchObject({ isHeld: expected !== 'acquired' });
    expect(await codeOf(openWriterLock({ directory, files, processes }))).toBe(expected);
  });

  it('can be removed by hand as the error says', async () => {
    const directory = await staleLock({ ...PROCESSES, host: 'gone', startOf: () => 'boot-0:1' }, files);
    const lock = join(directory, 'LOCK');
    const refused = openWriterLock({ directory, files, processes: PROCESSES });
    await expect(refused).rejects.toThrow(
      `If it no longer runs, which cannot be seen from this machine, remove ${lock} and ${lock}.held.`,
    );
    for (const name of await readdir(directory)) await unlink(join(directory, name));
    await (await openWriterLock({ directory, files, processes: PROCESSES })).close();
  });
});

describe('without kernel locks', () => {
  it.each<[string, ProcessTable, string, object?]>([
    ['the process has ended', afterFirst, 'acquired'],
    [
      'its process id belongs to a later process',
      { ...secondProcess, startOf: (pid) => `${BOOT}:${7000 + pid}` },
      'acquired',
    ],
    ['the host was rebooted', { ...secondProcess, startOf: () => 'boot-2:5120' }, 'acquired'],
    ['the process runs', secondProcess, 'STORE_LOCKED'],
    ['it may run in another PID namespace', { ...afterFirst, pidNamespace: 'pid:[2]' }, 'STORE_LOCKED'],
    ['the namespace is unknown', { ...afterFirst, pidNamespace: null }, 'STORE_LOCKED', { pid_namespace: null }],
    ['it is on another host', { ...afterFirst, host: 'other' }, 'STORE_LOCKED'],
    ['an earlier version wrote it', afterFirst, 'STORE_LOCKED', { pid_namespace: undefined, kernel_lock: undefined }],
  ])(
    'a folder is acquired only from a holder that has certainly ended: %s',
    async (_, processes, expected, changes = {}) => {
      const directory = await staleLock(PROCESSES, withoutLocks, changes);
      expect(await codeOf(openWriterLock({ directory, files: withoutLocks, processes }))).toBe(expected);
    },
  );

  it('LOCK records this, rejects a second writer while the first runs, and is released', async () => {
    const directory = await temporaryFolder();
    const first = await openWriterLock({ directory, files: withoutLocks, processes: PROCESSES });
    expect(await lockOf(directory)).toMatchObject({ pid: 1, kernel_lock: false });
    const second = () => openWriterLock({ directory, files: withoutLocks, processes: secondProcess });
    await expect(second()).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    await first.close();
    await (await second()).close();
    expect((await readdir(directory)).toSorted()).toEqual(['LOCK', 'LOCK.held']);
  });

  it('one of many processes that open a stale lock at the same time acquires it', async () => {
    for (let round = 0; round < 4; round += 1) {
      const directory = await staleLock(PROCESSES, withoutLocks);
      const attempts = await Promise.allSettled(
        Array.from({ length: 12 }, () => openWriterLock({ directory, files: withoutLocks, processes: afterFirst })),
      );
      expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
  });

  it.each(['{', 'half a li'])('a damaged LOCK is not changed: %j', async (content) => {
    const directory = await temporaryFolder();
    await writeFile(join(directory, 'LOCK'), content);
    const opening = openWriterLock({ directory, files: withoutLocks });
    await expect(opening).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    expect(await readFile(join(directory, 'LOCK'), 'utf8')).toBe(content);
  });

  it('a full disk does not leave a torn LOCK', async () => {
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
  it('distinguishes a running process from a process id that does not exist', () => {
    expect(systemProcesses.isAlive(process.pid)).toBe(true);
    expect(systemProcesses.isAlive(2 ** 30)).toBe(false);
    expect(systemProcesses.startOf(2 ** 30)).toBeUndefined();
    expect(systemProcesses.startOf(process.pid)).toBe(systemProcesses.startOf(process.pid));
  });
});
