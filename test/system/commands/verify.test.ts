import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { killLeftoverProcesses, runFaultline, startCollector, stop } from '../../helpers/faultline-process.js';
import { kindOfFailure } from '../../helpers/payloads.js';
import { killLeftoverTerminals, openPseudoTerminal } from '../../helpers/pseudo-terminal.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

afterAll(async () => {
  killLeftoverTerminals();
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

async function importedFolder(events: number): Promise<string> {
  const directory = await temporaryFolder();
  const lines = Array.from({ length: events }, (_, index) => JSON.stringify(kindOfFailure(index % 40)));
  const done = await runFaultline(['import', '-', '--data', directory], { input: `${lines.join('\n')}\n` });
  expect(done.code).toBe(0);
  return directory;
}

async function rawFile(directory: string): Promise<string> {
  const names = await readdir(directory, { recursive: true });
  const found = names.find((name) => name.endsWith('/raw.ndjson'));
  if (found === undefined) throw new Error('the raw file is missing');
  return found;
}

describe('faultline verify', () => {
  it('prints one line for a clean folder, and exits with 0', async () => {
    const directory = await importedFolder(300);
    expect(await runFaultline(['verify', '--data', directory])).toMatchObject({
      code: 0,
      stdout: 'No damage: 300 events in 1 partition.\n',
      stderr: '',
    });
    const json = await runFaultline(['verify', '--json', '--data', directory]);
    expect(JSON.parse(json.stdout)).toEqual({ clean: true, partitions: 1, events: 300, damages: 0, notes: 0 });
  });

  it('prints file, line and code of a damage, and exits with 1', async () => {
    const directory = await importedFolder(300);
    const file = await rawFile(directory);
    const bytes = await readFile(join(directory, file));
    const at = bytes.indexOf('did not answer', bytes.length / 2);
    bytes[at] = (bytes[at] ?? 0) ^ 2;
    await writeFile(join(directory, file), bytes);
    const line = bytes.subarray(0, at).toString('latin1').split('\n').length - 1;
    const text = await runFaultline(['verify', '--data', directory]);
    expect(text).toMatchObject({ code: 1, stderr: '' });
    expect(text.stdout).toContain(
      `${file}, line ${line} (byte ${at}): RAW_LINE_DAMAGED: One bit of line ${line} is flipped`,
    );
    expect(text.stdout).toMatch(/^1 problem in .* \(lines count from 0\)\.$/m);
    const json = await runFaultline(['verify', '--json', '--data', directory]);
    const [finding, summary] = json.stdout.trim().split('\n');
    expect(JSON.parse(finding ?? '')).toMatchObject({
      file,
      line,
      offset: at,
      code: 'RAW_LINE_DAMAGED',
      severity: 'damage',
    });
    expect(JSON.parse(summary ?? '')).toMatchObject({ clean: false, damages: 1 });
  });

  it('escapes control characters of file names', async () => {
    const directory = await importedFolder(1);
    await writeFile(join(directory, 'evil\u001b[2J'), '');
    const done = await runFaultline(['verify', '--data', directory]);
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout).toContain('note: evil\\u{1b}[2J: FOREIGN_NAME');
    expect(done.stdout).not.toContain('\u001b');
  });

  it('exits with 1 for a missing folder, and with 2 for an unknown option', async () => {
    expect(await runFaultline(['verify', '--data', '/nowhere/at/all'])).toMatchObject({ code: 1, stdout: '' });
    expect(await runFaultline(['verify', '--fix'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('runs while a collector writes and names its process; rebuild fails then', async () => {
    const directory = await importedFolder(50);
    const collector = await startCollector(directory);
    const done = await runFaultline(['verify', '--data', directory]);
    expect(done.code).toBe(0);
    expect(done.stdout).toContain(`WRITER_RUNNING: The folder is being written by process ${collector.child.pid} on `);
    const refused = await runFaultline(['rebuild', '--data', directory]);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(`The data folder is in use by process ${collector.child.pid} on `);
    await stop(collector);
  });

  it('exits with 130 at Ctrl-C and clears its progress bar', async () => {
    const directory = await importedFolder(20_000);
    for (const command of ['verify', 'rebuild']) {
      const terminal = openPseudoTerminal([command, '--data', directory]);
      await waitFor('a bar', () => /\[#*\.*\] \d+ %|rebuilding the index/.test(terminal.output()));
      terminal.typeAhead('\u0003');
      expect({ command, ...(await terminal.exit) }).toMatchObject({ command, exitCode: 130 });
      expect(terminal.output()).toMatch(/\r\u001b\[K(interrupted.*\r\n)?$/);
    }
    expect(await runFaultline(['rebuild', '--data', directory])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^20,000 events, 40 issues, \d+\.\d s\n$/),
      stderr: '',
    });
  });
});
