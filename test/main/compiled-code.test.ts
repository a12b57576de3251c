import { chmod, cp, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FAULTLINE, killLeftoverProcesses, startFaultline, stop } from '../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';
import { waitFor } from '../helpers/wait-for.js';

const MISSING = 'missing.cache';

describe('the compiled code of collect', () => {
  let folder = '';
  let bundle = '';

  beforeEach(async () => {
    folder = await temporaryFolder();
    bundle = join(folder, 'package', 'dist', 'bundle');
    await mkdir(dirname(bundle), { recursive: true });
    const dist = dirname(FAULTLINE);
    for (const name of ['bundle', 'config', 'main.js']) {
      await cp(join(dist, name), join(dirname(bundle), name), { recursive: true });
    }
    await cp(join(dist, '..', 'package.json'), join(folder, 'package', 'package.json'));
    await symlink(join(dist, '..', 'node_modules'), join(folder, 'package', 'node_modules'));
    for (const name of await keptNames()) await rm(join(bundle, name));
  });
  afterAll(async () => {
    killLeftoverProcesses();
    await removeTemporaryFolders();
  });

  async function keptNames(): Promise<string[]> {
    return (await readdir(bundle)).filter((name) => name.includes('.cache'));
  }

  async function collectOnce(...nodeOptions: readonly string[]): Promise<void> {
    const command = [process.execPath, ...nodeOptions, join(dirname(bundle), 'main.js')];
    const running = startFaultline(['collect', '--port=0', `--data=${join(folder, 'data')}`], { command });
    await waitFor('the first lines', () => running.output.stdout.includes('send'));
    expect(await stop(running)).toMatchObject({ code: 0 });
  }

  it('is kept when the first run ends, and used by the next one', async () => {
    await collectOnce();
    const [name = MISSING, ...others] = await keptNames();
    expect(others).toEqual([]);
    const { ino } = await stat(join(bundle, name));
    await collectOnce();
    // A run that cannot use it writes another file.
    expect((await stat(join(bundle, name))).ino).toBe(ino);
  });

  it('is kept by a run whose young generation reached its limit', async () => {
    await collectOnce('--min-semi-space-size=16');
    expect(await keptNames()).toHaveLength(1);
  });

  it.each([
    ['damaged', (kept: Buffer) => kept.fill(0xff, kept.length >> 1, (kept.length >> 1) + 1)],
    ['cut', (kept: Buffer) => kept.subarray(0, kept.length >> 1)],
    ['empty', () => Buffer.alloc(0)],
  ])('is replaced if it is %s', async (_, damage) => {
    await collectOnce();
    const [name = MISSING] = await keptNames();
    const kept = await readFile(join(bundle, name));
    await writeFile(join(bundle, name), damage(Buffer.from(kept)));
    await collectOnce();
    expect((await readFile(join(bundle, name))).length).toBeGreaterThan(kept.length >> 1);
    await collectOnce();
    expect(await keptNames()).toEqual([name]);
  });

  it.each([
    ['others can write to', 0o777],
    ['nobody can write to', 0o555],
  ])('is not kept in a folder that %s', async (_, mode) => {
    await chmod(bundle, mode);
    await collectOnce();
    if (mode === 0o777 || process.getuid?.() !== 0) expect(await keptNames()).toEqual([]);
  });
});
