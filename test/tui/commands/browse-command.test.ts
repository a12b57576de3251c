import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Writable } from 'node:stream';
import yargs from 'yargs';
import { addBrowseCommand } from '../../../tui/commands/browse-command.js';
import { preferencesPath } from '../../../tui/preferences/preferences.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { createArrayReader, sampleIssue } from '../array-reader.js';

const CONFIG_HOME = process.env['XDG_CONFIG_HOME'];

afterEach(() => {
  if (CONFIG_HOME === undefined) delete process.env['XDG_CONFIG_HOME'];
  else process.env['XDG_CONFIG_HOME'] = CONFIG_HOME;
});
afterAll(removeTemporaryFolders);

/** Runs the command with preferences; without a terminal it ends before it draws. */
async function run(preferences: string, ...args: string[]): Promise<{ code: number | undefined; err: string }> {
  process.env['XDG_CONFIG_HOME'] = await temporaryFolder();
  const path = preferencesPath(process.env);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, preferences);
  let err = '';
  const createOutput = () =>
    new Writable({
      write(chunk, _encoding, done) {
        err += String(chunk);
        done();
      },
    });
  let code: number | undefined;
  const line = yargs(['browse', ...args])
    .exitProcess(false)
    .fail((message, error) => {
      throw error ?? new Error(message);
    });
  addBrowseCommand(line, {
    streams: { stdout: createOutput(), stderr: createOutput() } as never,
    openReader: () => Promise.reject(new Error('not opened')),
    openStore: () => Promise.reject(new Error('not opened')),
    openTerminalReader: async () => createArrayReader({ issues: [sampleIssue(1)] }),
    defaultUrl: 'http://localhost:4319',
    defaultDirectory: './faultline-data',
    done: (given) => {
      code = given;
    },
  });
  await line.parseAsync();
  return { code, err };
}

describe('faultline browse', () => {
  it('reports every problem of the preferences with its line, and exits with 2', async () => {
    const { code, err } = await run('theme: pink\ntime: mars\nkeys: { resolve: [F5x], sing: [x] }\nfoo: 1\n');
    expect(code).toBe(2);
    for (const key of ['theme', 'time', 'resolve', 'sing', 'foo']) expect(err).toContain(key);
    for (const location of [':1:', ':2:', ':3:', ':4:']) expect(err).toContain(location);
  });

  it('lists the known contexts for an unknown one', async () => {
    const contexts = 'contexts: { prod: [{ url: "http://a:4319" }], test: [{ data: /x }] }\n';
    await expect(run(contexts, '--context', 'stage')).rejects.toMatchObject({
      code: 'CONTEXT_UNKNOWN',
      message: 'No context "stage"; the preferences have prod, test.',
    });
    await expect(run('', '--context', 'stage')).rejects.toMatchObject({
      message: expect.stringContaining('the preferences have none'),
    });
  });

  it('needs a terminal, and names the printing commands', async () => {
    const { code, err } = await run('default_context: prod\ncontexts: { prod: [{ url: "http://a:4319" }] }\n');
    expect([code, err]).toEqual([2, expect.stringContaining('faultline issues')]);
  });

  it('names an unknown id, filter or tab in one sentence before the terminal opens', async () => {
    const unknown = await run('', '0badc0de');
    expect(unknown).toEqual({ code: 1, err: 'No issue 0badc0de. See faultline issues.\n' });
    const id = '0badc0de-0000-5000-8000-000000000000';
    expect(await run('', id)).toEqual({ code: 1, err: `No issue or event ${id}. See faultline issues.\n` });
    const event = await run('', '591f-0481');
    expect(event).toEqual({ code: 1, err: 'No event 591f-0481. See faultline events.\n' });
    const malformed = await run('', 'x');
    expect(malformed).toEqual({ code: 2, err: '"x" is not an issue id. See faultline issues.\n' });
    expect(await run('', '--query', 'levle:error')).toEqual({ code: 2, err: expect.stringContaining('level') });
    await expect(run('', '--tab', 'new')).rejects.toThrow('Choices');
  });

  it('accepts sources or a context, not both', async () => {
    await expect(run('', '--context', 'a', '--url', 'http://b')).rejects.toThrow();
  });
});
