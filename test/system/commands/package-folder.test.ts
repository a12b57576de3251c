import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FAULTLINE, killLeftoverProcesses, startFaultline, stop } from '../../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

describe('the folder of the package', () => {
  it('is the same after a run of the collector, so that no start depends on an earlier one', async () => {
    const folder = await temporaryFolder();
    const dist = join(folder, 'package', 'dist');
    await mkdir(dirname(dist), { recursive: true });
    await cp(dirname(FAULTLINE), dist, { recursive: true });
    await cp('package.json', join(folder, 'package', 'package.json'));
    await symlink(join(process.cwd(), 'node_modules'), join(folder, 'package', 'node_modules'));
    const before = await readdir(dist, { recursive: true });

    const command = [process.execPath, join(dist, 'main.js')];
    const running = startFaultline(['collect', '--port=0', `--data=${join(folder, 'data')}`], { command });
    await waitFor('the first lines', () => running.output.stdout.includes('send'));
    expect(await stop(running)).toMatchObject({ code: 0 });

    // The build leaves no compiled code there either: a start would hang if a pipe was in its place.
    expect(before.filter((name) => name.endsWith('.cache'))).toEqual([]);
    expect((await readdir(dist, { recursive: true })).toSorted()).toEqual(before.toSorted());
  });
});
