import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { post } from '../collector/post.js';
import { settingsFor, startService, stopServices } from '../collector/running-service.js';
import { killLeftoverProcesses, runFaultline } from '../helpers/faultline-process.js';
import { kindOfFailure } from '../helpers/payloads.js';
import { storedPayloads } from '../helpers/stored-payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';

afterAll(async () => {
  killLeftoverProcesses();
  await stopServices();
  await removeTemporaryFolders();
});

describe('the exit code of faultline run', () => {
  it('is that of the program, whose failure is stored', async () => {
    const data = await temporaryFolder();
    const program = ['sh', '-c', 'echo "Error: the till is closed" >&2; exit 7'];
    const done = await runFaultline(['run', '--data', data, '--', ...program]);
    expect(done).toMatchObject({ code: 7, stdout: '', stderr: 'Error: the till is closed\n' });
    expect(await storedPayloads(data)).toMatchObject([
      { error_name: 'ProcessExit', message: 'Error: the till is closed' },
    ]);
  });

  it('is that of the program, also if nothing can be collected', async () => {
    const file = join(await temporaryFolder(), 'file');
    await writeFile(file, '');
    const done = await runFaultline(['run', '--data', file, '--', 'sh', '-c', 'exit 6']);
    expect(done).toMatchObject({ code: 6, stderr: expect.stringMatching(/^faultline: not collecting: /) });
  });

  it('is 3 for a program that succeeds with failures that a rule of --fail-on matches', async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, 'till.mjs'), `console.log('out'); console.error(new RangeError('too far'))`);
    const done = await runFaultline(['run', '--fail-on', 'level:error', '--', process.execPath, 'till.mjs'], { cwd });
    expect(done).toMatchObject({ code: 3, stdout: 'out\n' });
  });

  it('is 127 for a missing program, and 2 for an invalid option', async () => {
    expect(await runFaultline(['run', '--', 'no-such-program'])).toMatchObject({ code: 127 });
    expect(await runFaultline(['run', '--url', 'nonsense', '--', 'true'])).toMatchObject({ code: 2 });
  });
});

describe('the exit code of faultline gate', () => {
  it('is 0 for a release without new issues, and 3 for one with them', async () => {
    const running = await startService(settingsFor(await temporaryFolder()));
    const send = async (kind: number, release: string): Promise<void> => {
      const { status } = await post(running.eventsUrl, JSON.stringify(kindOfFailure(kind, { release })));
      expect(status).toBe(200);
    };
    await send(1, '1.0');
    await send(1, '2.0');
    const url = new URL(running.apiUrl).origin;
    const gate = async (): Promise<number | null> =>
      (await runFaultline(['gate', '--release', '2.0', '--for', '0s', '--url', url])).code;
    expect(await gate()).toBe(0);
    await send(2, '2.0');
    expect(await gate()).toBe(3);
  });

  it('is 2 for an invalid option', async () => {
    expect(await runFaultline(['gate', '--release', '2.0', '--max-rate', 'fast'])).toMatchObject({ code: 2 });
  });
});
