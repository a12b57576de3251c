import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { killLeftoverProcesses, runFaultline } from '../../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

const SIGNER = `#!/bin/sh
cat >/dev/null
printf '\\n[GNUPG:] SIG_CREATED x\\n' >&2
printf -- '-----BEGIN PGP SIGNATURE-----\\n\\naGVsbG8=\\n-----END PGP SIGNATURE-----\\n'
`;
const FAILING = `function load() { throw new RangeError('too far') }\nload();\n`;

async function writeProgram(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  await chmod(path, 0o755);
}

describe('commands in a hostile repository', () => {
  it('start none of its programs', async () => {
    const [around, folder] = [await temporaryFolder(), await temporaryFolder()];
    const [witness, program, signer] = ['started', 'program', 'signer'].map((name) => join(around, name)) as [
      string,
      string,
      string,
    ];
    const git = (...args: string[]): string =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=Ann', '-c', 'user.email=a@b.test', ...args], {
        encoding: 'utf8',
        stdio: 'pipe',
      });
    await writeProgram(signer, SIGNER);
    await writeProgram(program, `#!/bin/sh\ntouch '${witness}'\nexit 1\n`);
    await writeFile(join(folder, 'till.mjs'), FAILING);
    git('init', '-q');
    git('add', '.');
    git('-c', `gpg.program=${signer}`, 'commit', '-q', '-S', '-m', 'Go far');
    await writeFile(join(folder, '.git/info/attributes'), '* diff=evil filter=evil\n');
    for (const key of ['gpg.program', 'core.fsmonitor', 'core.pager', 'diff.external', 'diff.evil.textconv']) {
      git('config', key, program);
    }
    git('config', 'filter.evil.clean', program);
    git('config', 'log.showSignature', 'true');

    const data = await temporaryFolder();
    const commands = [
      ['release', 'new', 'v1', '--commits', 'auto', '--data', data, '--json'],
      ['run', '--data', data, '--report', 'json=r.json', '--', process.execPath, 'till.mjs'],
      ['issues', '--data', data, '--json'],
    ];
    const outputs: string[] = [];
    for (const args of commands) outputs.push((await runFaultline(args, { cwd: folder })).stdout);
    const id = String(JSON.parse(outputs[2] ?? '').issues[0].issue_id);
    outputs.push((await runFaultline(['issue', id, '--data', data, '--json'], { cwd: folder })).stdout);
    expect(existsSync(witness)).toBe(false);
    expect(JSON.parse(outputs[0] ?? '')).toMatchObject({ commits: 1 });
    const report = JSON.parse(await readFile(join(folder, 'r.json'), 'utf8')) as { issues: object[] };
    expect(report.issues).toMatchObject([{ suspect_commit: { message: 'Go far' } }]);
    expect(JSON.parse(outputs[3] ?? '')).toMatchObject({ suspect_commit: { message: 'Go far' } });

    git('log', '-1');
    expect(existsSync(witness)).toBe(true);
  });
});
