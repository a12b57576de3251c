import { readdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { nodeFiles } from '../../../../core/storage/files/node-files.js';
import type { ProcessTable } from '../../../../core/storage/record/process-table.js';
import { systemProcesses } from '../../../../core/storage/record/process-table.js';
import { openWriterLock, type WriterLock } from '../../../../core/storage/record/writer-lock.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { failingFiles } from './failing-files.js';

const files = nodeFiles;

afterAll(removeTemporaryFolders);

/** The processes of a host by number, each with its start. */
function processes(pid: number, alive: Record<number, string | undefined>, host = 'box'): ProcessTable {
  return { pid, host, isAlive: (other) => other in alive, startOf: (other) => alive[other] };
}

const lockOf = async (directory: string): Promise<Record<string, unknown>> =>
  JSON.parse(await readFile(join(directory, 'LOCK'), 'utf8'));

/** The lock and what tells of its holder when somebody removes it, and nothing else. */
async function expectHeld(directory: string): Promise<void> {
  const { token } = await lockOf(directory);
  expect((await readdir(directory)).toSorted()).toEqual(['LOCK', `LOCK.${token}.held`]);
}

describe('openWriterLock', () => {
  it('says in LOCK who writes, and gives it back', async () => {
    const directory = join(await temporaryFolder(), 'made', 'for it');
    const lock = await openWriterLock({ directory, files, nowMs: () => Date.UTC(2026, 10, 21) });
    expect(await lockOf(directory)).toEqual({
      pid: process.pid,
      host: hostname(),
      started_at: '2026-11-21T00:00:00.000Z',
      process_start: systemProcesses.startOf(process.pid) ?? null,
      token: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    await expectHeld(directory);
    await lock.close();
    await lock.close();
    expect(await readdir(directory)).toEqual([]);
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
      message: expect.stringContaining(`${file} is no folder`),
    });
  });

  it('refuses a second writer and names the first', async () => {
    const directory = await temporaryFolder();
    const lock = await openWriterLock({ directory, files, nowMs: () => Date.UTC(2026, 10, 21) });
    const second = openWriterLock({ directory, files });
    await expect(second).rejects.toMatchObject({ code: 'STORE_LOCKED', retryable: false });
    await expect(second).rejects.toThrow(`process ${process.pid} on ${hostname()}, started 2026-11-21T00:00:00.000Z`);
    await expectHeld(directory);
    await lock.close();
    await (await openWriterLock({ directory, files })).close();
  });

  it.each([
    ['the process is gone', processes(2, { 2: 'b' })],
    ['its number belongs to a later process', processes(2, { 1: 'later', 2: 'b' })],
    ['its number is ours by now', processes(1, { 1: 'later' })],
  ])('takes over when %s', async (_, later) => {
    const directory = await temporaryFolder();
    const dead = await openWriterLock({ directory, files, processes: processes(1, { 1: 'a' }) });
    const lock = await openWriterLock({ directory, files, processes: later });
    expect(await lockOf(directory)).toMatchObject({ pid: later.pid });
    await expectHeld(directory);
    // The one that lost its lock leaves the other's alone.
    await dead.close();
    expect(await lockOf(directory)).toMatchObject({ pid: later.pid });
    await lock.close();
    expect(await readdir(directory)).toEqual([]);
  });

  it.each([
    ['the process runs', processes(2, { 1: 'a', 2: 'b' })],
    ['it runs and the system tells no start', processes(2, { 1: undefined, 2: 'b' })],
    ['it is of another host', processes(2, { 2: 'b' }, 'other')],
  ])('does not take over when %s', async (_, later) => {
    const directory = await temporaryFolder();
    await openWriterLock({ directory, files, processes: processes(1, { 1: 'a' }) });
    await expect(openWriterLock({ directory, files, processes: later })).rejects.toMatchObject({
      code: 'STORE_LOCKED',
    });
  });

  it('does not take over from a process that could not tell its start', async () => {
    const directory = await temporaryFolder();
    await openWriterLock({ directory, files, processes: processes(1, { 1: undefined }) });
    const later = processes(2, { 1: 'start', 2: 'b' });
    await expect(openWriterLock({ directory, files, processes: later })).rejects.toMatchObject({
      code: 'STORE_LOCKED',
    });
  });

  it.each(['', '{', '{"pid":1}', '{"pid":-1,"host":"box","started_at":"","process_start":null,"token":"../x"}'])(
    'does not touch a LOCK that it cannot read: %j',
    async (content) => {
      const directory = await temporaryFolder();
      await writeFile(join(directory, 'LOCK'), content);
      await expect(openWriterLock({ directory, files })).rejects.toMatchObject({ code: 'STORE_LOCKED' });
      expect(await readFile(join(directory, 'LOCK'), 'utf8')).toBe(content);
    },
  );

  it('lets one of many win who find a stale lock at the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const directory = await temporaryFolder();
      await openWriterLock({ directory, files, processes: processes(1, { 1: 'a' }) });
      const alive = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [index + 2, 'b']));
      const attempts = await Promise.allSettled(
        Object.keys(alive).map((pid) => openWriterLock({ directory, files, processes: processes(Number(pid), alive) })),
      );
      const won = attempts.filter(
        (attempt): attempt is PromiseFulfilledResult<WriterLock> => attempt.status === 'fulfilled',
      );
      expect(won).toHaveLength(1);
      await expectHeld(directory);
      await won[0]?.value.close();
      expect(await readdir(directory)).toEqual([]);
    }
  });

  it('takes over from a process of the same number and the same start before a reboot', async () => {
    const directory = await temporaryFolder();
    await openWriterLock({ directory, files, processes: processes(412, { 412: 'boot-1:5120' }) });
    const later = processes(500, { 412: 'boot-2:5120', 500: 'boot-2:6000' });
    const lock = await openWriterLock({ directory, files, processes: later });
    expect(await lockOf(directory)).toMatchObject({ pid: 500 });
    await expectHeld(directory);
    await lock.close();
  });

  it('refuses beside a holder whose LOCK somebody removed, until that one is done', async () => {
    const directory = await temporaryFolder();
    const both = { 1: 'a', 2: 'b' };
    const first = await openWriterLock({ directory, files, processes: processes(1, both) });
    await unlink(join(directory, 'LOCK'));
    const second = () => openWriterLock({ directory, files, processes: processes(2, both) });
    await expect(second()).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    await expect(second()).rejects.toThrow('process 1 on box, started ');
    expect(await readdir(directory)).toHaveLength(1);
    await first.close();
    expect(await readdir(directory)).toEqual([]);
    await (await second()).close();
  });

  it('takes over from a holder whose LOCK somebody removed and that died', async () => {
    const directory = await temporaryFolder();
    await openWriterLock({ directory, files, processes: processes(1, { 1: 'a' }) });
    await unlink(join(directory, 'LOCK'));
    const lock = await openWriterLock({ directory, files, processes: processes(2, { 2: 'b' }) });
    await expectHeld(directory);
    await lock.close();
  });

  it('says which files to remove when the host of the holder is gone', async () => {
    const directory = await temporaryFolder();
    await openWriterLock({ directory, files, processes: processes(1, { 1: 'a' }, 'gone') });
    const here = processes(2, { 2: 'b' });
    const lock = join(directory, 'LOCK');
    const refused = openWriterLock({ directory, files, processes: here });
    await expect(refused).rejects.toThrow(`if that host is gone for good, remove ${lock} and ${lock}.*.held.`);
    for (const name of await readdir(directory)) await unlink(join(directory, name));
    await (await openWriterLock({ directory, files, processes: here })).close();
  });

  it('leaves no LOCK without content behind where a file cannot have two names and the disk is full', async () => {
    const directory = await temporaryFolder();
    const withoutLinks = {
      ...nodeFiles,
      link: async () => {
        throw Object.assign(new Error('ENOTSUP'), { code: 'ENOTSUP' });
      },
    };
    const full = failingFiles(withoutLinks);
    // The first write is that of our own content, the second one that of LOCK.
    full.arm({ code: 'ENOSPC', only: ['write'], at: 1, times: Number.POSITIVE_INFINITY });
    await expect(openWriterLock({ directory, files: full })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(await readdir(directory)).toEqual([]);
    await (await openWriterLock({ directory, files: withoutLinks })).close();
  });

  it('is taken by the next one wherever an opener dies, also one that was taking over', async () => {
    for (const hasStale of [false, true]) {
      const attempt = async (diesAt: number): Promise<number> => {
        const directory = await temporaryFolder();
        if (hasStale) await openWriterLock({ directory, files, processes: processes(1, { 1: 'a' }) });
        const dying = failingFiles(nodeFiles);
        dying.arm({ code: 'EIO', at: diesAt, times: Number.POSITIVE_INFINITY });
        const died = openWriterLock({ directory, files: dying, processes: processes(2, { 2: 'b' }) });
        await died.catch((error: unknown) => expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' }));
        expect(dying.openFiles).toBe(0);
        const lock = await openWriterLock({ directory, files, processes: processes(3, { 3: 'c' }) });
        expect(await lockOf(directory)).toMatchObject({ pid: 3 });
        await lock.close();
        return dying.calls;
      };
      const calls = await attempt(Number.POSITIVE_INFINITY);
      for (let diesAt = 0; diesAt < calls; diesAt += 1) await attempt(diesAt);
      expect(calls).toBeGreaterThan(5);
    }
  });

  it('is not left behind by an opening that fails half-way', async () => {
    const directory = await temporaryFolder();
    const failing = failingFiles(nodeFiles);
    failing.arm({ code: 'EIO', only: ['syncFolder'], at: 0 });
    await expect(openWriterLock({ directory, files: failing })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(await readdir(directory)).toEqual([]);
    await (await openWriterLock({ directory, files: failing })).close();
  });

  it('works where a file cannot have two names', async () => {
    const directory = await temporaryFolder();
    const withoutLinks = {
      ...nodeFiles,
      link: async () => {
        throw Object.assign(new Error('ENOTSUP'), { code: 'ENOTSUP' });
      },
    };
    const first = await openWriterLock({ directory, files: withoutLinks, processes: processes(1, { 1: 'a' }) });
    const both = processes(2, { 1: 'a', 2: 'b' });
    await expect(openWriterLock({ directory, files: withoutLinks, processes: both })).rejects.toMatchObject({
      code: 'STORE_LOCKED',
    });
    const second = await openWriterLock({ directory, files: withoutLinks, processes: processes(2, { 2: 'b' }) });
    await first.close();
    expect(await lockOf(directory)).toMatchObject({ pid: 2 });
    await second.close();
    expect(await readdir(directory)).toEqual([]);
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
