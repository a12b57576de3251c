import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { preferencesSchema } from '../../../generated/preferences-schema.js';
import { checkKeys } from '../../../tui/preferences/check-keys.js';
import { loadPreferences, preferencesPath } from '../../../tui/preferences/preferences.js';
import { DEFAULT_KEYMAP } from '../../../tui/terminal/keymap.js';
import { DEFAULT_PREFERENCES } from '../../helpers/default-preferences.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { KEYMAP } from './keymap.js';

afterAll(removeTemporaryFolders);

async function write(text: string | Uint8Array): Promise<NodeJS.ProcessEnv> {
  const env = { XDG_CONFIG_HOME: await temporaryFolder(), HOME: '/home/ada' };
  const path = preferencesPath(env);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return env;
}

async function load(env: NodeJS.ProcessEnv) {
  return (await loadPreferences(env, KEYMAP)).preferences;
}

/** Expects that loading fails with problems like these. */
async function expectProblems(env: NodeJS.ProcessEnv, problems: readonly object[]): Promise<void> {
  await expect(load(env)).rejects.toMatchObject({ code: 'CONFIG_INVALID', problems });
}

describe('preferences', () => {
  it('are the defaults without a file, without a folder, or with only comments', async () => {
    expect(await load({ XDG_CONFIG_HOME: await temporaryFolder() })).toEqual(DEFAULT_PREFERENCES);
    expect(await load({ HOME: '/no/such/folder' })).toEqual(DEFAULT_PREFERENCES);
    expect(await load(await write(''))).toEqual(DEFAULT_PREFERENCES);
    expect(await load(await write('\ufeff# theme: high_contrast\n\n  # mouse: true\n'))).toEqual(DEFAULT_PREFERENCES);
  });

  it('are those of the file, and the defaults of what it leaves out', async () => {
    const env = await write(`
theme: high_contrast
colours: 16
mouse: true
keys: { resolve: [w, F5x] }
`);
    await expectProblems(env, [{ line: 5, key: 'keys.resolve[1]' }]);
    const corrected = await write(`
theme: high_contrast
colours: 16
mouse: true
keys: { resolve: [w, F6] }
`);
    expect(await load(corrected)).toEqual({
      ...DEFAULT_PREFERENCES,
      theme: 'high_contrast',
      colours: '16',
      isMouseOn: true,
      keys: new Map([['resolve', ['w', 'F6']]]),
    });
  });

  it('name their sources by address without credentials, or by folder, unless they have a name', async () => {
    const env = await write(`
contexts:
  prod: [{ url: 'https://ada:secret@eu.example:8443/x' }, { url: http://us.example, name: US }]
  old: [{ data: ~/old/data }, { data: / }]
default_context: old
`);
    expect(await load(env)).toMatchObject({
      contexts: new Map([
        [
          'prod',
          [
            { url: 'https://ada:secret@eu.example:8443/x', name: 'eu.example:8443' },
            { url: 'http://us.example', name: 'US' },
          ],
        ],
        [
          'old',
          [
            { data: '/home/ada/old/data', name: 'data' },
            { data: '/', name: '/' },
          ],
        ],
      ]),
      defaultContext: 'old',
    });
  });

  it('warn about keys of commands that no longer exist', async () => {
    const env = await write('keys:\n  redo: [U]\n  resolve: [E]\n');
    const { preferences, warnings } = await loadPreferences(env);
    expect(warnings).toEqual([expect.stringMatching(/:2:3: keys\.redo: this command no longer exists/)]);
    expect(preferences.keys.get('resolve')).toEqual(['E']);
  });

  it('are below HOME unless XDG_CONFIG_HOME is an absolute path', () => {
    const below = '/home/ada/.config/faultline/config.yaml';
    expect(preferencesPath({ HOME: '/home/ada' })).toBe(below);
    expect(preferencesPath({ HOME: '/home/ada', XDG_CONFIG_HOME: 'relative' })).toBe(below);
    expect(preferencesPath({ HOME: '/home/ada', XDG_CONFIG_HOME: '' })).toBe(below);
    expect(preferencesPath({ HOME: '/home/ada', XDG_CONFIG_HOME: '/etc/xdg' })).toBe('/etc/xdg/faultline/config.yaml');
  });

  it('fail if the file cannot be read', async () => {
    const folder = { XDG_CONFIG_HOME: await temporaryFolder() };
    await mkdir(preferencesPath(folder), { recursive: true });
    await expectProblems(folder, [
      { source: preferencesPath(folder), message: expect.stringMatching(/^cannot be read: /) },
    ]);
    await expectProblems(await write(Uint8Array.of(0xff, 0xfe)), [{ message: 'is not UTF-8 text' }]);
    await expectProblems(await write('#'.repeat(800_000)), [{ message: 'longer than 256 KiB' }]);
    const loop = { XDG_CONFIG_HOME: await temporaryFolder() };
    await mkdir(dirname(preferencesPath(loop)), { recursive: true });
    await symlink(preferencesPath(loop), preferencesPath(loop));
    await expectProblems(loop, [{ message: expect.stringMatching(/^cannot be read: .*ELOOP/) }]);
  });

  it('have a schema of 2020-12', () => {
    const ajv = new Ajv2020();
    expect(ajv.validateSchema(preferencesSchema) ? [] : ajv.errors).toEqual([]);
  });

  it('can name every built-in key and command', () => {
    const written = new Map<string, string[]>();
    for (const { command, keys } of DEFAULT_KEYMAP) {
      const names = keys.map((key) => (key === ' ' ? 'space' : key));
      if (!written.has(command)) written.set(command, names);
    }
    const unknown = checkKeys(written, DEFAULT_KEYMAP).filter(({ message }) => !message.includes(' also means '));
    expect(unknown).toEqual([]);
  });
});
