import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { promisify } from 'node:util';
import yargs from 'yargs';
import { readGitCommits } from '../../../core/source-code/git-commits.js';
import { openActingFolder } from '../../../core/storage/acting-folder.js';
import { openFolderReader } from '../../../core/storage/folder-reader.js';
import { addReleaseCommand } from '../../../tui/commands/release-command.js';
import { openChosenSource } from '../../../tui/readers/open-sources.js';
import { settingsFor, startService, stopServices } from '../../collector/running-service.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

afterAll(async () => {
  await stopServices();
  await removeTemporaryFolders();
});

class Output extends Writable {
  text = '';

  override _write(chunk: unknown, _encoding: string, done: (error?: Error) => void): void {
    this.text += String(chunk);
    done();
  }
}

/** Runs a command line as `cli.ts` does. */
async function run(...args: string[]): Promise<{ code: number | undefined; out: string; err: string }> {
  const streams = { stdout: new Output(), stderr: new Output() };
  let code: number | undefined;
  const line = yargs(['release', ...args])
    .strict()
    .exitProcess(false)
    .fail((message, error) => {
      throw error ?? new Error(message);
    });
  const defaults = { defaultUrl: 'http://localhost:1', defaultDirectory: '/nowhere' };
  addReleaseCommand(line, {
    streams: streams as never,
    ...defaults,
    openReader: async (choice) =>
      (await openChosenSource(choice, { ...defaults, openFolder: (directory) => openFolderReader({ directory }) }))
        .reader,
    openStore: async (choice) =>
      (await openChosenSource(choice, { ...defaults, openFolder: (directory) => openActingFolder({ directory }) }))
        .reader,
    openTerminalReader: () => Promise.reject(new Error('openTerminalReader is not expected')),
    done: (given) => {
      code = given;
    },
  });
  await line.parseAsync();
  return { code, out: streams.stdout.text, err: streams.stderr.text };
}

describe('faultline release', () => {
  it.each(['collector', 'folder'])('records and shows releases in a %s', async (where) => {
    const directory = await temporaryFolder();
    const source = ['--data', directory];
    if (where === 'collector') {
      const { apiUrl } = await startService(settingsFor(directory));
      source.splice(0, 2, '--url', apiUrl.replace('/api/v1', ''));
    }
    expect(await run('list', ...source)).toEqual({ code: 0, out: '', err: 'No releases.\n' });
    expect((await run('new', 'v1/β', '--link', 'https://example.org/v1', ...source)).code).toBe(0);
    expect((await run('deploy', 'v1/β', '-e', 'production', '--started', '2026-11-21T10:00:00Z', ...source)).code).toBe(
      0,
    );
    const finalized = await run('finalize', 'v1/β', '--at', '2026-11-21T10:00:00Z', '--json', ...source);
    const at = '2026-11-21T10:00:00.000000000+00:00';
    const expected = { name: 'v1/β', url: 'https://example.org/v1', released_at: at, deploys: [{ started_at: at }] };
    expect([finalized.code, JSON.parse(finalized.out)]).toMatchObject([0, expected]);
    expect(JSON.parse((await run('list', '--json', ...source)).out)).toMatchObject({ releases: [expected], total: 1 });
    expect(JSON.parse((await run('show', 'v1/β', '--json', ...source)).out)).toMatchObject({
      ...expected,
      commit_list: [],
    });
    expect((await run('list', ...source)).out).toContain('v1/β');
    expect((await run('show', 'v1/β', ...source)).out).toMatch(
      /released +11-21 10:00:00[\s\S]*deploys +1, to production/,
    );
    expect((await run('show', 'v2', ...source)).code).toBe(1);
  });

  it('refuses a call that makes no sense with exit code 2, before anything is opened', async () => {
    const absent = ['--data', '/nowhere/at/all'];
    expect((await run('finalize', 'v1', '--at', 'soon', ...absent)).code).toBe(2);
    expect((await run('new', 'v1', '--commits', '--output=x', ...absent).catch(() => ({ code: 2 }))).code).toBe(2);
    expect((await run('new', 'v1', '--commits', 'HEAD', ...absent)).code).toBe(2);
  });
});

describe('commits of a git repository', () => {
  it('are read newest first, of a range or the last ones, without credentials of the remote', async () => {
    const folder = await temporaryFolder();
    const git = (...args: string[]) =>
      promisify(execFile)('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', ...args], { cwd: folder });
    await git('init', '-q');
    await git('remote', 'add', 'origin', 'https://user:secret@example.org/acme/shop.git');
    await mkdir(join(folder, 'src'));
    for (const name of ['eins.ts', 'zwei ü.ts', 'drei.ts']) {
      await writeFile(join(folder, 'src', name), name);
      await git('add', '.');
      await git('commit', '-qm', `add ${name}\n\nbody`);
    }
    const all = await readGitCommits('auto', folder, process.env);
    expect(all.map(({ message, paths }) => [message, paths])).toEqual([
      ['add drei.ts', ['src/drei.ts']],
      ['add zwei ü.ts', ['src/zwei ü.ts']],
      ['add eins.ts', ['src/eins.ts']],
    ]);
    expect(all[0]).toMatchObject({ author_name: 'Ann', author_email: 'ann@example.org', repository: 'acme/shop' });
    expect(all[0]?.id).toMatch(/^[0-9a-f]{40}$/);
    expect((await readGitCommits('HEAD~1..HEAD', folder, process.env)).length).toBe(1);
    await expect(readGitCommits('none..HEAD', folder, process.env)).rejects.toMatchObject({ code: 'GIT_FAILED' });
    await expect(readGitCommits('-x..y', folder, process.env)).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' });
  });

  it('are missing outside of a repository', async () => {
    await expect(readGitCommits('auto', await temporaryFolder(), process.env)).rejects.toMatchObject({
      code: 'GIT_FAILED',
    });
  });
});
