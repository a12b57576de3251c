import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { killLeftoverProcesses, runFaultline, startFaultline } from '../../helpers/faultline-process.js';
import { HARMFUL_TEXT } from '../../helpers/hostile-texts.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

const HANDLED = `console.error(new RangeError('too far'))`;

/** Runs a Node program below a gate in a new folder, or a given one. */
async function gated(code: string, args: readonly string[], cwd?: string) {
  const folder = cwd ?? (await temporaryFolder());
  await writeFile(join(folder, 'till.mjs'), code);
  // Folders of collectors that are left behind are found here.
  const env = { TMPDIR: await temporaryFolder(), GITHUB_STEP_SUMMARY: join(folder, 'summary.md') };
  const done = await runFaultline(['run', ...args, '--', process.execPath, 'till.mjs'], { cwd: folder, env });
  return { ...done, folder, leftovers: await readdir(env.TMPDIR) };
}

const outcomeIn = async (folder: string): Promise<unknown> =>
  JSON.parse(await readFile(join(folder, 'r.json'), 'utf8'));

describe('faultline run --fail-on', () => {
  it('exits with 3 for a breached rule, leaves standard output alone, and removes its folder', async () => {
    const done = await gated(`console.log('out'); ${HANDLED}`, ['--fail-on', 'level:error']);
    expect(done).toMatchObject({ code: 3, stdout: 'out\n', leftovers: [] });
  });

  it('exits with 0 if no rule is breached, and with the code of a program that failed', async () => {
    expect((await gated(HANDLED, ['--fail-on', 'level:fatal,message:"a, b"'])).code).toBe(0);
    expect((await gated(`${HANDLED}; process.exitCode = 9`, ['--fail-on', 'level:error'])).code).toBe(9);
  });

  it.each([
    [['--fail-on', 'level:'], 'QUERY'],
    [['--fail-on', ','], '--fail-on'],
    [['--report', 'html'], '--report'],
    [['--report', 'json='], '--report'],
    [['--fail-on', 'new', '--update-baseline'], '--baseline'],
    [['--fail-on', 'new', '--url', 'http://127.0.0.1:9'], '--data'],
  ])('exits with 2 for %j before the program starts', async (args) => {
    const done = await gated(`console.log('started')`, args);
    expect(done).toMatchObject({ code: 2, stdout: '' });
  });

  it('knows what a baseline lists, and counts what is new or came back', async () => {
    const update = ['--fail-on', 'new,regressed', '--baseline', 'known', '--update-baseline'];
    const check = ['--fail-on', 'new,regressed', '--baseline', 'known', '--report', 'json=r.json'];
    const first = await gated(HANDLED, check);
    expect(first.code).toBe(0);
    expect(await outcomeIn(first.folder)).toMatchObject({
      outcome: 'no_baseline',
      rules: { new: { status: 'no_data' } },
    });
    expect((await gated(HANDLED, update, first.folder)).code).toBe(0);
    expect((await gated(HANDLED, check, first.folder)).code).toBe(0);
    expect(await outcomeIn(first.folder)).toMatchObject({ outcome: 'passed', issues: [{ state: 'known' }] });
    expect((await gated(`console.error(new TypeError('other'))`, check, first.folder)).code).toBe(3);
    expect(await outcomeIn(first.folder)).toMatchObject({ rules: { new: { status: 'fail', observed: 1 } } });
    expect((await gated('', update, first.folder)).code).toBe(0);
    expect((await gated(HANDLED, check, first.folder)).code).toBe(3);
    expect(await outcomeIn(first.folder)).toMatchObject({
      rules: { new: { status: 'pass' }, regressed: { observed: 1 } },
    });
  });

  it('names the commit that changed the line last, with author and date', async () => {
    const folder = await temporaryFolder();
    const code = `function load() { throw new RangeError('too far') }\nload();\n`;
    await writeFile(join(folder, 'till.mjs'), code);
    for (const args of [
      ['init', '-q'],
      ['add', '.'],
      ['commit', '-qm', 'Go far`'],
    ])
      execFileSync('git', ['-C', folder, '-c', 'user.name=Ann', '-c', 'user.email=a@b.test', ...args]);
    const reports = ['--report', 'markdown=r.md', '--report', 'github=r.txt', '--report', 'json=r.json'];
    await gated(code, ['--fail-on', 'level:fatal', ...reports], folder);
    const { issues } = (await outcomeIn(folder)) as { issues: { suspect_commit: { id: string } }[] };
    expect(issues).toMatchObject([{ suspect_commit: { message: 'Go far`', author_name: 'Ann', line: 1 } }]);
    const id = issues[0]?.suspect_commit.id.slice(0, 12);
    expect(await readFile(join(folder, 'r.md'), 'utf8')).toMatch(
      new RegExp(`; suspect commit \`${id} Go far' \\(Ann, \\d{4}-\\d\\d-\\d\\d\\)\``),
    );
    expect(await readFile(join(folder, 'r.txt'), 'utf8')).toMatch(
      new RegExp(`%0ASuspect commit: ${id} Go far\` \\(Ann, \\d{4}-`),
    );
  });

  it('compares with what a data folder held before, and counts only the events of this run', async () => {
    const data = await temporaryFolder();
    const args = ['--data', data, '--fail-on', 'new', '--report', 'json=r.json'];
    expect((await gated(HANDLED, args)).code).toBe(0);
    const again = await gated(`${HANDLED}; ${HANDLED}`, args);
    expect(again.code).toBe(0);
    expect(await outcomeIn(again.folder)).toMatchObject({ outcome: 'passed', issues: [{ state: 'known', events: 2 }] });
    expect((await gated(`console.error(new TypeError('other'))`, args)).code).toBe(3);
  });

  it('refuses a file that is not a baseline with 2, and tells an unwritable report with 70', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'known'), '<<<<<<< HEAD\n');
    expect((await gated(HANDLED, ['--baseline', 'known'], folder)).code).toBe(2);
    expect((await gated('', ['--report', 'json=missing/r.json'], folder)).code).toBe(70);
    expect((await gated(HANDLED, ['--fail-on', 'level:error', '--report', 'json=missing/r.json'], folder)).code).toBe(
      3,
    );
  });

  it.each([
    ['--baseline', 'folder', 'is a folder'],
    ['--baseline', 'pipe', 'is not a file'],
    ['--baseline', '/dev/zero', 'is not a file'],
    ['--baseline', 'large', 'is larger than 64 MiB'],
    ['--baseline', 'till.mjs/known', 'cannot be read'],
    ['--report', 'json=folder', 'is a folder'],
    ['--report', 'json=pipe', 'is not a file'],
  ])('refuses %s %s with 2 and a sentence, before the program starts', async (option, path, problem) => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'folder'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await writeFile(join(folder, 'large'), '');
    await truncate(join(folder, 'large'), 65 * 1024 * 1024);
    const done = await gated(`console.log('started')`, [option, path], folder);
    expect(done).toMatchObject({ code: 2, stdout: '' });
    expect(done.stderr).toMatch(new RegExp(`^faultline: .*${problem}.*\\n$`));
  });

  it('tells a step summary that is a pipe without a reader, with 70', async () => {
    const folder = await temporaryFolder();
    execFileSync('mkfifo', [join(folder, 'summary.md')]);
    const done = await gated('', ['--report', 'github'], folder);
    expect([done.code, done.stderr]).toEqual([70, expect.stringContaining('GITHUB_STEP_SUMMARY is not a file')]);
  });

  it('exits with 70, not 3, if its collector is killed', async () => {
    const folder = await temporaryFolder();
    await writeFile(
      join(folder, 'till.mjs'),
      `process.stdin.on('end', () => {}).resume(); console.log('ready'); ${HANDLED};
      import { existsSync } from 'node:fs'; const timer = setInterval(() => existsSync('go') && clearInterval(timer), 20);`,
    );
    const args = ['run', '--fail-on', 'level:error', '--report', 'json=r.json', '--', process.execPath, 'till.mjs'];
    const run = startFaultline(args, { cwd: folder });
    await waitFor('the program', () => run.output.stdout.includes('ready'));
    const children = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(run.child.pid)], { encoding: 'utf8' });
    const collector = children.split('\n').find((line) => line.includes('run-collector')) ?? '';
    process.kill(Number.parseInt(collector, 10), 'SIGKILL');
    await writeFile(join(folder, 'go'), '');
    expect((await run.finished).code).toBe(70);
    expect(await outcomeIn(folder)).toMatchObject({
      outcome: 'broken',
      rules: { 'level:error': { status: 'broken' } },
    });
  });
});

describe('reports of a run', () => {
  it('name only files below the working folder, and neutralise the text of events', async () => {
    const folder = await temporaryFolder();
    const outside = join(await temporaryFolder(), 'secret.mjs');
    await writeFile(outside, '');
    await symlink(outside, join(folder, 'link.mjs'));
    await mkdir(join(folder, 'src'));
    await writeFile(join(folder, 'src/cart.mjs'), '');
    const frames = [outside, join(folder, 'link.mjs'), join(folder, 'gone.mjs'), join(folder, 'src/cart.mjs')];
    const stack = frames.map((file, index) => `    at total (${file}:${index + 3}:7)`).join('\\n');
    const message = '::error::x <b>&\\u0007\\u202e 100% | `a` @all';
    const reports = ['github', 'github=r.txt', 'junit=r.xml', 'sarif=r.sarif', 'json=r.json', 'markdown=r.md'];
    const done = await gated(
      `const e = new Error('x'); e.stack = 'CartError: ${message}\\n${stack}'; console.error(e.stack)`,
      ['--fail-on', 'level:error', ...reports.flatMap((report) => ['--report', report])],
      folder,
    );
    expect(done).toMatchObject({ code: 3, stdout: '' });
    const read = async (name: string): Promise<string> => await readFile(join(folder, name), 'utf8');
    const [github, junit, sarif, markdown] = await Promise.all(['r.txt', 'r.xml', 'r.sarif', 'r.md'].map(read));
    expect(github?.split('\n').filter((line) => line.startsWith('::error'))).toHaveLength(1);
    expect(github).toContain('::error file=src/cart.mjs,line=6,title=Failure::CartError: ');
    expect(github).toContain('100%25');
    expect(junit).toContain('file="src/cart.mjs" line="6"><failure ');
    expect(junit).toContain('&lt;b&gt;&amp;');
    expect(JSON.parse(sarif ?? '')).toMatchObject({
      version: '2.1.0',
      runs: [{ results: [{ level: 'error', locations: [{ physicalLocation: { region: { startLine: 6 } } }] }] }],
    });
    expect(markdown).toMatch(/^- `CartError: [^`]*` at `src\/cart\.mjs:6` /m);
    expect(await read('summary.md')).toContain('src/cart.mjs:6');
    for (const text of [github, junit, markdown]) expect(text).not.toMatch(/[\u0007\u202e]/);
    expect(await outcomeIn(folder)).toMatchObject({ issues: [{ location: { file: 'src/cart.mjs', line: 6 } }] });
  });

  it('and all that it says have no harmful character of a file, an option or an event', async () => {
    const folder = await temporaryFolder();
    const evil = 'a\u0007\u0085\u202e##[error]x';
    await mkdir(join(folder, evil));
    await writeFile(join(folder, evil, 'cart.mjs'), '');
    const printed = `CartError: no ##[error]y\n    at total (${join(folder, evil, 'cart.mjs')}:1:7)\n`;
    const reports = ['github', 'junit', 'sarif', 'json', 'markdown'].flatMap((one) => [
      ...['--report', one],
      ...['--report', `${one}=r.${one}`],
    ]);
    const done = await gated(
      `process.stderr.write(${JSON.stringify(printed)})`,
      [
        ...['--app', evil, '--service', evil, '--release', evil, '--fail-on', `level:error,new,message:"${evil}"`],
        ...['--baseline', evil.replace('##', '#'), '--update-baseline', ...reports, '--report', `json=missing/${evil}`],
      ],
      folder,
    );
    expect([done.code, done.stdout]).toEqual([3, '']);
    const texts = [done.stderr.replace(printed, '')];
    const written = ['summary.md', 'r.github', 'r.junit', 'r.sarif', 'r.json', 'r.markdown', evil.replace('##', '#')];
    for (const name of written) texts.push(await readFile(join(folder, name), 'utf8'));
    for (const text of texts) expect(HARMFUL_TEXT.exec(text)?.input).toBeUndefined();
    expect(texts[0]).toContain('a report could not be written');
    expect(texts[2]).toContain('cart.mjs');
  });

  it.each([
    [['run', '--', 'a\u0007\u009b']],
    [['run', '--fail-on', '\u202e\u0007:[', '--', 'true']],
    [['run', '--baseline', '/dev/null/\u202e\u0007', '--', 'true']],
    [['run', '--url', '\u202e\u0007', '--', 'true']],
    [['run', '--\u202e\u009b', '--', 'true']],
    [['gate', '--release', 'x', '--for', '\u202e\u0007']],
    [['gate', '--release', 'x', '--query', '\u202e\u0007:[']],
    [['gate', '--release', '\u202e\u0007', '--url', 'http://\u202e\u0007', '--for', '0s']],
    [['release', 'new', '\u202e\u0007', '--commits', '\u202e\u0007..x', '--data', '/nowhere']],
    [['release', 'show', '\u202e\u0007', '--data', '/\u202e\u0007']],
    [['\u202e\u0007']],
  ])('sentences about %j have none either', async (args) => {
    const done = await runFaultline(args, { cwd: await temporaryFolder() });
    expect(done.code).toBeGreaterThan(0);
    expect(HARMFUL_TEXT.exec(done.stderr + done.stdout)?.input).toBeUndefined();
    expect(done.stderr).not.toMatch(/^ {4}at /m);
  });
});
