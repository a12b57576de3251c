import { readFile } from 'node:fs/promises';
import { killLeftoverProcesses, runFaultline } from '../helpers/faultline-process.js';

afterAll(killLeftoverProcesses);

const MAX_DESCRIPTION = 60;

describe('the help', () => {
  it('is one page of every command by task, printed by faultline alone too', async () => {
    const { code, stdout, stderr } = await runFaultline([]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(await readFile('test/fixtures/help.txt', 'utf8'));
    for (const word of ['--help', '-h', 'help']) expect(await runFaultline([word])).toMatchObject({ code: 0, stdout });
    const { stdout: known } = await runFaultline(['--get-yargs-completions', 'faultline', ''], {
      env: { SHELL: '/bin/bash' },
    });
    const listed = stdout.match(/(?<=^ {2}|[a-z] {2})[a-z][a-z-]*/gm) ?? [];
    expect(listed.toSorted()).toEqual(known.trim().split('\n').toSorted());
    for (const [, description = ''] of stdout.matchAll(/^ {2}.{24}(\S.*)$/gm)) {
      expect(description.length).toBeLessThanOrEqual(MAX_DESCRIPTION);
      expect(description).toMatch(/^[A-Z][a-z]+ /);
    }
  });

  it.each([
    ['isues', 'Unknown command "isues". Did you mean "issues"? See faultline --help.'],
    ['xyzzy', 'Unknown command "xyzzy". See faultline --help.'],
    ['issues --limt 3', 'Unknown option --limt. Did you mean "--limit"? See faultline issues --help.'],
    ['--verison', 'Unknown option --verison. Did you mean "--version"? See faultline --help.'],
    ['verify folder', 'Unexpected argument "folder". See faultline verify --help.'],
    ['issue', 'An argument is missing. See faultline issue --help.'],
    ['events --query', '--query needs a value. See faultline events --help.'],
    ['issues --url a --data b', '--url and --data cannot be combined. See faultline issues --help.'],
    [
      'event 1 --format x',
      '--format must be one of table, ndjson, markdown, brief, not "x". See faultline event --help.',
    ],
  ])('of a wrong call, %s, is one sentence and the next step', async (line, sentence) => {
    expect(await runFaultline(line.split(' '))).toMatchObject({ code: 2, stdout: '', stderr: `${sentence}\n` });
  });

  it('has completion scripts that complete commands', async () => {
    const signs = { bash: /^complete .* faultline$/m, zsh: /^#compdef faultline$/m, fish: /^complete .*-c faultline/m };
    for (const [shell, sign] of Object.entries(signs)) {
      const script = expect.stringMatching(sign);
      expect(await runFaultline(['completion', shell])).toMatchObject({ code: 0, stdout: script, stderr: '' });
    }
    expect(await runFaultline(['completion', 'tcsh'])).toMatchObject({
      code: 2,
      stderr: 'No completion for tcsh. Choose bash, zsh, fish.\n',
    });
    const env = { SHELL: '/bin/zsh' };
    const { stdout } = await runFaultline(['--get-yargs-completions', 'faultline', 'issues', '--qu'], { env });
    expect(stdout).toContain('--query:Filter');
  });
});
