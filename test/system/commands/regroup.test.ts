import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IssuePage, RegroupPreview } from '../../../generated/reader-answers.js';
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

const LARGE_FOLDER = 30_000;

/** Splits one issue by its two regions and merges two others. */
const RULES = `grouping:
  rules:
    - name: regions
      query: error_name:FailureAError
      split_by: [tags.region]
    - name: one
      query: error_name:FailureBError OR error_name:FailureCError
      fingerprint: [one]
`;

function lines(events: number): string {
  const payloads = Array.from({ length: events }, (_, index) =>
    kindOfFailure(index % 4, {
      timestamp: null,
      tags: { region: index % 8 === 0 ? 'eu' : 'us' },
      message: `漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字 \u001b[2J ${'long '.repeat(20)}`,
      stack: null,
    }),
  );
  return payloads.map((payload) => `${JSON.stringify(payload)}\n`).join('');
}

async function importedFolder(events: number): Promise<string> {
  const directory = await temporaryFolder();
  const done = await runFaultline(['import', '-', '--data', directory], { input: lines(events) });
  expect(done.code).toBe(0);
  return directory;
}

let large: Promise<string> | undefined;

/** Returns a copy of a folder whose regrouping takes long enough to be cancelled. */
async function largeFolder(): Promise<string> {
  large ??= importedFolder(LARGE_FOLDER);
  const directory = await temporaryFolder();
  await cp(await large, directory, { recursive: true });
  return directory;
}

async function rulesFile(text = RULES): Promise<string> {
  const file = join(await temporaryFolder(), 'rules.yaml');
  await writeFile(file, text);
  return file;
}

/** Returns path and bytes of every file. */
async function filesOf(directory: string): Promise<Map<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return new Map(await Promise.all(files.sort().map(async (file) => [file, await readFile(file, 'base64')] as const)));
}

async function countsOf(where: readonly string[]): Promise<number[]> {
  const { stdout } = await runFaultline(['issues', '--json', ...where]);
  const page = JSON.parse(stdout) as IssuePage | IssuePage['issues'];
  return (Array.isArray(page) ? page : page.issues).map(({ count }) => count).sort((a, b) => a - b);
}

describe('faultline regroup on a folder', () => {
  it('previews the changes without changing a byte', async () => {
    const directory = await importedFolder(80);
    const rules = await rulesFile();
    const before = await filesOf(directory);
    const done = await runFaultline(['regroup', '--preview', '--config', rules, '--data', directory]);
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(await filesOf(directory)).toEqual(before);
    expect(done.stdout).toMatch(/^80 events: 4 issues now, 4 issues afterwards\.\n/);
    expect(done.stdout).toMatch(/^1 issue would be merged:\n {6}40 {2}[0-9a-f]{8} {2}FailureBError: 漢字/m);
    expect(done.stdout).toMatch(/^ {6}from {6}20 {2}[0-9a-f]{8} {2}FailureCError: /m);
    expect(done.stdout).toMatch(/^1 issue would be split:\n {6}20 /m);
    expect(done.stdout.match(/^ {6}into {6}10 /gm)).toHaveLength(2);
    expect(done.stdout).toMatch(/^ {10}event [0-9a-f-]{36}$/m);
    expect(done.stdout.replaceAll('\n', ' ')).toMatch(/ with 2 rules of ".*rules\.yaml"\. Nothing was changed\. $/);
    expect(done.stdout).not.toContain('\u001b');
    // Ideographs are two cells wide.
    for (const row of done.stdout.split('\n'))
      expect(row.replaceAll(/\p{sc=Han}/gu, 'xx').length).toBeLessThanOrEqual(80);
    const json = await runFaultline(['regroup', '--preview', '--json', '--config', rules, '--data', directory]);
    const preview = JSON.parse(json.stdout) as RegroupPreview;
    expect(preview).toMatchObject({ events: 80, issues_before: 4, merged_total: 1, split_total: 1, appeared_total: 1 });
    expect(preview.merged[0]).toMatchObject({ events: 40, parts_total: 2 });
  });

  it('applies rules, warns that new events do not use them, and rolls back', async () => {
    const directory = await importedFolder(40);
    const where = ['--data', directory];
    expect(await countsOf(where)).toEqual([10, 10, 10, 10]);
    const applied = await runFaultline(['regroup', '--apply', '--config', await rulesFile(), ...where]);
    expect(applied).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Regrouped: 40 events, 4 issues before, 4 issues/),
    });
    expect(applied.stderr).toMatch(/^New events are grouped by the rules of/);
    expect(await countsOf(where)).toEqual([5, 5, 10, 20]);
    const back = await runFaultline(['regroup', '--rollback', ...where]);
    expect(back).toMatchObject({
      code: 0,
      stdout: 'Rolled back: 40 events, 4 issues before, 4 issues now.\n',
      stderr: '',
    });
    expect(await countsOf(where)).toEqual([10, 10, 10, 10]);
    const nothing = await runFaultline(['regroup', '--rollback', ...where]);
    expect(nothing).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('has no regrouping to roll back'),
    });
    const newest = await runFaultline(['regroup', '--preview', '--grouping-version', '4', ...where]);
    expect(newest.stdout.replaceAll('\n', ' ')).toContain(
      'version 4 of the built-in rules, and no rules in the last configuration of the folder',
    );
  });

  it('exits with 2 for invalid options, and with 1 for an invalid configuration or folder', async () => {
    const directory = await temporaryFolder();
    const invalid = await rulesFile('grouping:\n  rules:\n    - query: "("\n      split_by: [nonsense]\n');
    const cases: [string[], number, RegExp][] = [
      [[], 2, /Choose --preview/],
      [['--preview', '--apply'], 2, /Choose --preview/],
      [['--rollback', '--config', invalid], 2, /leave --config/],
      [['--preview', '--grouping-version', '9'], 2, /must be 4/],
      [['--preview', '--url', 'http://localhost:1', '--data', directory], 2, /cannot be combined/],
      [['--preview', '--config', invalid], 1, /rules\.yaml:3:14: .*\n.*rules\.yaml:4:18: /],
      [['--preview', '--config', '/nowhere/at/all.yaml'], 1, /nowhere/],
      [['--preview', '--data', '/nowhere/at/all'], 1, /is not a folder/],
      [['--preview', '--url', 'http://localhost:1'], 1, /No collector at/],
    ];
    for (const [args, code, words] of cases) {
      const done = await runFaultline(['regroup', ...args]);
      expect({ args, code: done.code, stdout: done.stdout }).toEqual({ args, code, stdout: '' });
      expect(done.stderr).toMatch(words);
    }
  });

  it('shows its progress on a terminal, and Ctrl-C cancels it', async () => {
    const directory = await largeFolder();
    const terminal = openPseudoTerminal(['regroup', '--apply', '--config', await rulesFile(), '--data', directory]);
    await waitFor('a bar', () => /regrouping \[[#.]+\] \d+ %/.test(terminal.output()));
    terminal.typeAhead('\u0003');
    expect(await terminal.exit).toMatchObject({ exitCode: 130 });
    expect(terminal.output()).toContain('cancelled; nothing was changed');
    const verified = await runFaultline(['verify', '--data', directory]);
    expect(verified).toMatchObject({ code: 0 });
    expect(await countsOf(['--data', directory])).toEqual([7_500, 7_500, 7_500, 7_500]);
  });
});

describe('faultline regroup through a collector', () => {
  it('previews, applies and rolls back; for a folder in use the error names --url', async () => {
    const directory = await importedFolder(80);
    const collector = await startCollector(directory);
    const where = ['--url', collector.queryUrl];
    const rules = await rulesFile();
    const preview = await runFaultline(['regroup', '--preview', '--json', '--config', rules, ...where]);
    expect(preview).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(preview.stdout)).toMatchObject({ events: 80, merged_total: 1, split_total: 1 });
    const applied = await runFaultline(['regroup', '--apply', '--config', rules, ...where]);
    expect(applied).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Regrouped: 80 events/) });
    expect(applied.stderr.replaceAll('\n', ' ')).toContain("by the rules of the collector's own configuration");
    expect(await countsOf(where)).toEqual([10, 10, 20, 40]);
    expect(await runFaultline(['regroup', '--rollback', ...where])).toMatchObject({ code: 0, stderr: '' });
    expect(await countsOf(where)).toEqual([20, 20, 20, 20]);
    const locked = await runFaultline(['regroup', '--preview', '--data', directory]);
    expect(locked).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('--url http://localhost:') });
    const done = await runFaultline(['regroup', '--rollback', ...where]);
    expect(done).toMatchObject({ code: 1, stderr: expect.stringContaining('has no regrouping to roll back') });
    expect(await stop(collector)).toMatchObject({ code: 0 });
  });

  it('uses the rules of the collector by default, without a warning', async () => {
    const directory = await importedFolder(40);
    const rules = 'grouping.rules=[{query: "error_name:FailureAError", split_by: [tags.region]}]';
    const collector = await startCollector(directory, [`--set=${rules}`]);
    const done = await runFaultline(['regroup', '--apply', '--url', collector.queryUrl]);
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(done.stdout.replaceAll('\n', ' ')).toContain("with 1 rule of the collector's own configuration");
    expect(await stop(collector)).toMatchObject({ code: 0 });
  });

  it('is cancelled by Ctrl-C', async () => {
    const directory = await largeFolder();
    const collector = await startCollector(directory);
    const args = ['regroup', '--apply', '--config', await rulesFile(), '--url', collector.queryUrl];
    const terminal = openPseudoTerminal(args);
    await waitFor('a bar', () => /regrouping /.test(terminal.output()));
    terminal.typeAhead('\u0003');
    expect(await terminal.exit).toMatchObject({ exitCode: 130 });
    expect(terminal.output()).toContain('cancelled; nothing was changed');
    const state = (await (await fetch(`${collector.queryUrl}/api/v1/regroup`)).json()) as { state: string };
    expect(state.state).toBe('cancelled');
    expect(await countsOf(['--url', collector.queryUrl])).toEqual([7_500, 7_500, 7_500, 7_500]);
    expect(await stop(collector)).toMatchObject({ code: 0 });
  });
});
