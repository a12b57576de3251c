import { execFile, execFileSync } from 'node:child_process';
import { copyFile, lstat, mkdir, readdir, readFile, rm, rmdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { killLeftoverProcesses, runFaultline, startCollector, stop } from '../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';
import { failure, send } from './send-failures.js';

const run = promisify(execFile);
const manifest = JSON.parse(await readFile('package.json', 'utf8'));
const published = JSON.parse(await readFile('dist/package.json', 'utf8'));
const MAX_BYTES = 25_000_000;

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

async function npm(folder: string, ...args: string[]): Promise<void> {
  await run('npm', [...args, '--no-audit', '--no-fund', '--prefer-offline'], { cwd: folder });
}

/** Returns the path of a Node of this major version, which npm installs; undefined if the registry cannot be reached. */
async function nodeOf(major: number): Promise<string | undefined> {
  if (process.version.startsWith(`v${major}.`)) return process.execPath;
  const folder = await temporaryFolder();
  const name = `node-${process.platform}-${process.arch}`;
  try {
    await npm(folder, 'install', `${name}@${major}`);
  } catch (error) {
    process.stdout.write(`Node ${major} is not tested: ${error}\n`);
    return undefined;
  }
  return join(folder, 'node_modules', name, 'bin/node');
}

describe('the package', () => {
  let folder = '';
  let installed = '';

  beforeAll(async () => {
    folder = await temporaryFolder();
    await npm(resolve('.'), 'pack', './dist', '--pack-destination', folder);
    await npm(folder, 'install', `./faultline-${manifest.version}.tgz`);
    installed = join(folder, 'node_modules/faultline');
  });

  it('installs without compilers, tests and source maps, in at most 25 MB', async () => {
    const names = await readdir(installed, { recursive: true });
    expect(names.filter((name) => !/^bundle\/[\w-]+\.js$/.test(name)).toSorted()).toEqual([
      'LICENSE',
      'README.md',
      'THIRD-PARTY-LICENSES.txt',
      'bundle',
      'main.js',
      'package.json',
      'plugin-testing.d.ts',
      'plugin-testing.js',
      'plugin.d.ts',
      'plugin.js',
    ]);
    const files = await readdir(join(folder, 'node_modules'), { recursive: true });
    const sizes = await Promise.all(files.map(async (name) => (await lstat(join(folder, 'node_modules', name))).size));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BYTES);
  });

  it('checks the example plugins of the documentation from an empty folder', async () => {
    const names = ['tenant-owner', 'syslog', 'file-per-service'];
    for (const name of names) await copyFile(join('docs/plugins', `${name}.mjs`), join(folder, `${name}.mjs`));
    await writeFile(join(folder, 'OWNERS'), '* pay\n');
    await writeFile(
      join(folder, 'check.mjs'),
      `import { conformance } from 'faultline/plugin/testing';
${names.map((name, index) => `import * as plugin${index} from './${name}.mjs';`).join('\n')}
const checks = [
  ...conformance('processors', plugin0.processors.tenant_owner, { file: 'OWNERS' }),
  ...conformance('receivers', plugin1.receivers.syslog, { endpoint: '127.0.0.1:0' }),
  ...conformance('exporters', plugin2.exporters.file_per_service, { directory: 'out' }),
];
for (const { run } of checks) await run();
console.log(checks.length);
`,
    );
    expect((await run(process.execPath, ['check.mjs'], { cwd: folder })).stdout).toBe('9\n');
    const configuration = `
plugins: [${names.map((name) => `./${name}.mjs`)}]
receivers: { syslog: {} }
processors: { tenant_owner: { file: OWNERS } }
exporters: { store: {}, file_per_service: { directory: out } }
service: { pipelines: { events: { receivers: [syslog], processors: [tenant_owner], exporters: [store, file_per_service] } } }
`;
    await writeFile(join(folder, 'faultline.yaml'), configuration);
    const options = { command: [join(folder, 'node_modules/.bin/faultline')], cwd: folder };
    expect(await runFaultline(['validate', '--no-start-checks', '--config', 'faultline.yaml'], options)).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  it('has types for plugins and their tests', async () => {
    const text = `import type { Plugin } from 'faultline/plugin';
import { conformance, createHost } from 'faultline/plugin/testing';
const schema = { type: 'object', properties: { team: { type: 'string' } } };
const team = { description: 'x', stability: 'alpha', schema, create: ({ team }: { team: string }) => ({
  consume: async ({ events }) => events.map(({ payload }) => ({ payload: { ...payload, tags: { team } } })),
}) } satisfies NonNullable<Plugin['processors']>[string];
export const processors: Plugin['processors'] = { team };
conformance('processors', team, { team: createHost().id });
// @ts-expect-error: an outcome has a reason.
export const wrong: Plugin['processors'] = { team: { ...team, create: () => ({ consume: async () => [{ kind: 'dropped' }] }) } };
`;
    await writeFile(join(folder, 'plugin.mts'), text);
    const flags = ['--strict', '--noEmit', '--skipLibCheck', 'false', '--module', 'nodenext'];
    await run(process.execPath, [resolve('node_modules/typescript/bin/tsc'), ...flags, 'plugin.mts'], { cwd: folder });
  });

  it('has the licenses of all bundled packages', async () => {
    const text = await readFile(join(installed, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    for (const name of ['express', 'ink', 'protobufjs', 'yargs']) {
      expect(text).toMatch(new RegExp(`^${name} ${manifest.dependencies[name]} \\(`, 'm'));
    }
    expect(text.match(/^Permission is hereby granted/gm)?.length).toBeGreaterThan(50);
  });

  it.each([20, 22, 24])('collects and lists an event on Node %i', async (major) => {
    const node = await nodeOf(major);
    if (node === undefined) return;
    const imports = Object.keys(published.dependencies).map((name) => `await import('${name}');`);
    await run(node, ['--input-type=module', '--eval', imports.join('')], { cwd: installed });

    const env = { PATH: [dirname(node), process.env['PATH']].join(delimiter) };
    const options = { command: [join(folder, 'node_modules/.bin/faultline')], env };
    expect((await runFaultline(['--version'], options)).stdout).toBe(`${manifest.version}\n`);
    const collector = await startCollector(await temporaryFolder(), [], options);
    await send(collector, [failure('Alder')]);
    const { stdout } = await runFaultline(['issues', '--url', collector.queryUrl], options);
    expect(JSON.parse(stdout)).toMatchObject({ error_name: 'AlderError', count: 1 });
    expect((await stop(collector)).code).toBe(0);
  });
});

describe('the build of a clone', () => {
  const build = ['build.mjs', '--if-changed'];
  let clone = '';

  beforeAll(async () => {
    clone = join(await temporaryFolder(), 'clone');
    const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
    await mkdir(clone);
    execFileSync('xargs', ['-0', 'cp', '--parents', '-t', clone], { input: tracked });
    await symlink(resolve('node_modules'), join(clone, 'node_modules'));
    await run(process.execPath, build, { cwd: clone });
  });

  const builtAt = async (): Promise<number> => (await lstat(join(clone, 'dist/main.js'))).mtimeMs;

  it('is not repeated while its sources are unchanged', async () => {
    const before = await builtAt();
    await run(process.execPath, build, { cwd: clone });
    expect(await builtAt()).toBe(before);
  });

  it('keeps the earlier command when it is interrupted, and is repeated by the next call', async () => {
    const command = [process.execPath, join(clone, 'dist/main.js')];
    const page = join(clone, 'collector/commands/help-page.ts');
    await writeFile(page, (await readFile(page, 'utf8')).replace('Faultline collects', 'Faultline gathers'));
    const licenses = join(clone, 'dist/THIRD-PARTY-LICENSES.txt');
    await rm(licenses);
    // A folder cannot be replaced by a file: the build fails after it has written most files.
    await mkdir(licenses);
    await expect(run(process.execPath, build, { cwd: clone })).rejects.toThrow('THIRD-PARTY');
    expect((await runFaultline([], { command })).stdout).toContain('Faultline collects');
    await rmdir(licenses);
    await run(process.execPath, build, { cwd: clone });
    expect((await runFaultline([], { command })).stdout).toContain('Faultline gathers');
  });
});
