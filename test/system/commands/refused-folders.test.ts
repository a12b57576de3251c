import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { killLeftoverProcesses, runFaultline, startCollector, stop } from '../../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

const COLLECT = [
  ...['collect', '--set=service.pipelines.events.receivers=[events]', '--set=service.extensions=[]'],
  ...['--set=receivers.events.endpoint=localhost:0', '--set=service.telemetry.metrics.level=none'],
];
const READING = [['issues'], ['event', '7000-0000'], ['export'], ['rejected'], ['verify']];
const WRITING = [COLLECT, ['resolve', '12345678'], ['rebuild'], ['regroup', '--preview'], ['import', '-']];
/** Root may read every folder. */
const UNPRIVILEGED =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : undefined;

/** The exit code and the errors of a command on a folder, without the log. */
async function refusal(command: readonly string[], directory: string, through?: readonly string[]) {
  const { code, stderr } = await runFaultline([...command, '--data', directory], { ...(through && { through }) });
  return [code, stderr.replace(/^\{.*\n/gm, '')];
}

describe('a data folder that cannot be used', () => {
  it('is refused by every command with the same sentence if it is not a folder', async () => {
    const file = join(await temporaryFolder(), 'file');
    await writeFile(file, '');
    const sentence = `${file} is not a folder. Set --data to the collector's data folder.\n`;
    for (const command of [...READING, ...WRITING]) expect(await refusal(command, file)).toEqual([1, sentence]);
  });

  it('is refused by every command that writes while a collector runs on it', async () => {
    const directory = await temporaryFolder();
    const collector = await startCollector(directory);
    const { pid } = collector.child;
    for (const command of WRITING) {
      const [code, errors] = await refusal(command, directory);
      expect([command, code]).toEqual([command, 1]);
      expect(errors).toMatch(
        new RegExp(`^The data folder is in use by process ${pid} on \\S+ since \\S+ Stop it first\\.`),
      );
    }
    const ran = await runFaultline(['run', '--data', directory, '--', 'true']);
    expect([ran.code, ran.stderr]).toEqual([
      0,
      expect.stringMatching(/^faultline: not collecting: The data folder is in use/),
    ]);
    await stop(collector);
  });

  it('is refused by every command with the same sentence if access is denied', async () => {
    const parent = await temporaryFolder();
    const directory = join(parent, 'data');
    await chmod(parent, 0o000);
    for (const command of [...READING, ...WRITING]) {
      const [code, errors] = await refusal(command, directory, UNPRIVILEGED);
      expect([command, code]).toEqual([command, 1]);
      expect(errors).toMatch(
        /^Permission denied: \S+\/data\/?\. Run as a user with access to it, or choose another folder\.\n$/,
      );
    }
    await chmod(parent, 0o700);
  });
});
