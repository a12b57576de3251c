import { execFileSync } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { killLeftoverProcesses, runFaultline } from '../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

const JEST = join(createRequire(import.meta.url).resolve('jest/package.json'), '../bin/jest.js');

const PROJECTS = [
  {
    name: 'jest',
    command: [process.execPath, JEST, '--no-cache'],
    probe: ['node', '--version'],
    file: 'cart.cjs',
    line: 3,
  },
  {
    name: 'pytest',
    command: ['pytest', '-p', 'no:cacheprovider'],
    probe: ['pytest', '--version'],
    file: 'cart.py',
    line: 6,
  },
  { name: 'gotest', command: ['go', 'test', './...'], probe: ['go', 'version'], file: 'stock/stock_test.go', line: 7 },
];

function isInstalled([program = '', ...args]: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write(`skipped: ${program} is not installed\n`);
    return false;
  }
}

const REPORTS = ['github=r.txt', 'junit=r.xml', 'sarif=r.sarif', 'json=r.json', 'markdown=r.md'];

describe('test programs below a gate', () => {
  it.each(PROJECTS.filter(({ probe }) => isInstalled(probe)))(
    '$name: green without a change, red with its file and line in each report after one',
    async ({ name, command, file, line }) => {
      const cwd = await temporaryFolder();
      await cp(join('test/fixtures/ci-projects', name), cwd, { recursive: true });
      const gate = ['run', '--fail-on', 'new,regressed', '--baseline', 'known'];
      const reports = REPORTS.flatMap((report) => ['--report', report]);
      const run = async (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
        await runFaultline([...gate, ...args, '--', ...command], { cwd, env: { FORCE_COLOR: '0', CI: '1', ...env } });
      expect(await run(['--update-baseline'])).toMatchObject({ code: 0 });
      expect(await run(reports)).toMatchObject({ code: 0 });
      const read = async (report: string): Promise<string> => await readFile(join(cwd, report), 'utf8');
      expect(JSON.parse(await read('r.json'))).toMatchObject({ outcome: 'passed' });

      expect((await run(reports, { BREAK: '1' })).code).toBe(1);
      const { outcome, issues } = JSON.parse(await read('r.json'));
      expect(outcome).toBe('breached');
      expect(issues).toContainEqual(expect.objectContaining({ state: 'new', location: { file, line } }));
      expect(await read('r.txt')).toContain(`::error file=${file},line=${line},title=new issue::`);
      expect(await read('r.xml')).toContain(`file="${file}" line="${line}"><failure `);
      expect(await read('r.md')).toContain(`at \`${file}:${line}\``);
      const [{ results }] = JSON.parse(await read('r.sarif')).runs;
      const place = { artifactLocation: expect.objectContaining({ uri: file }), region: { startLine: line } };
      const locations = [{ physicalLocation: place }];
      expect(results).toContainEqual(expect.objectContaining({ level: 'error', baselineState: 'new', locations }));
    },
  );
});
