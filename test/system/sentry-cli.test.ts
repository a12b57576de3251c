/** The release commands of unmodified sentry-cli, which npm installs. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { originOf, settingsFor, startService, stopServices } from '../collector/running-service.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';

const run = promisify(execFile);

afterEach(stopServices);
afterAll(removeTemporaryFolders);

/** Installs a version into a folder of its own; undefined if npm cannot. */
async function sentryCli(version: string): Promise<string | undefined> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  const options = ['--prefix', folder, '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts'];
  try {
    await run('npm', ['install', ...options, `@sentry/cli@${version}`], { cwd: folder });
  } catch (error) {
    process.stdout.write(`sentry-cli ${version} is not tested: ${error}\n`);
    return undefined;
  }
  return join(folder, 'node_modules/.bin/sentry-cli');
}

async function repository(): Promise<string> {
  const cwd = await temporaryFolder();
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', ...args], { cwd });
  await git('init', '-q');
  await git('remote', 'add', 'origin', 'https://example.org/acme/shop.git');
  await writeFile(join(cwd, 'cart.ts'), 'export {};\n');
  await git('add', '.');
  await git('commit', '-qm', 'add a cart');
  return cwd;
}

it.each(['2.58.6', '3.8.0'])(
  'sentry-cli %s creates, fills, finalizes, deploys and shows a release',
  async (version) => {
    const program = await sentryCli(version);
    if (program === undefined) return;
    const running = await startService(
      settingsFor(
        await temporaryFolder(),
        'service.pipelines.events.receivers=[events, sentry]',
        'receivers.sentry.endpoint=127.0.0.1:0',
      ),
    );
    const cwd = await repository();
    const env = {
      ...{ PATH: process.env['PATH'], HOME: cwd, SENTRY_URL: originOf(running, 'sentry'), SENTRY_AUTH_TOKEN: 'token' },
      ...{ SENTRY_ORG: 'acme', SENTRY_PROJECT: 'web', SENTRY_DISABLE_UPDATE_CHECK: '1' },
    };
    const call = async (...args: string[]) => (await run(program, args, { cwd, env })).stdout;
    await call('releases', 'new', 'v1', '--url', 'https://example.org/v1');
    await call('releases', 'set-commits', 'v1', '--auto');
    await call('releases', 'set-commits', 'v1', '--local');
    await call('releases', 'finalize', 'v1');
    await call('deploys', 'new', '--release', 'v1', '--env', 'production');
    expect(await call('releases', 'list')).toContain('v1');
    expect(await call('releases', 'info', 'v1', '--show-projects', '--show-commits')).toContain('v1');
    expect(await call('deploys', 'list', '--release', 'v1')).toContain('production');
    await call('info');
    await expect(call('releases', 'info', 'v2')).rejects.toMatchObject({ code: 1 });
    const kept = { code: 1, stderr: expect.stringContaining('keeps its releases') };
    await expect(call('releases', 'delete', 'v1')).rejects.toMatchObject(kept);

    const release = await (await fetch(`${running.apiUrl}/releases/v1`)).json();
    expect(release).toMatchObject({
      url: 'https://example.org/v1',
      deploys: [{ environment: 'production' }],
      commits: 1,
    });
    expect(release.released_at).not.toBeNull();
    expect(release.commit_list).toMatchObject([{ message: 'add a cart', author_name: 'Ann', paths: ['cart.ts'] }]);
  },
);
