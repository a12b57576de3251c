import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { preferencesSchema } from '../../../generated/preferences-schema.js';
import { checkKeys } from '../../../tui/preferences/check-keys.js';
import { loadPreferences, preferencesPath } from '../../../tui/preferences/load-preferences.js';
import { DEFAULT_KEYMAP } from '../../../tui/terminal/keymap.js';
import { DEFAULT_PREFERENCES } from '../../helpers/default-preferences.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { BINDINGS } from './key-table.js';

afterAll(removeTemporaryFolders);

async function write(text: string | Uint8Array): Promise<NodeJS.ProcessEnv> {
  const env = { XDG_CONFIG_HOME: await temporaryFolder(), HOME: '/home/ada' };
  const path = preferencesPath(env);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return env;
}

async function load(env: NodeJS.ProcessEnv) {
  const loaded = await loadPreferences({ env, bindings: BINDINGS });
  return 'problems' in loaded ? loaded.problems : loaded.preferences;
}

describe('preferences', () => {
  it('are the defaults without a file, without a folder, or with only comments', async () => {
    expect(await load({ XDG_CONFIG_HOME: await temporaryFolder() })).toEqual(DEFAULT_PREFERENCES);
    expect(await load({ HOME: '/no/such/folder' })).toEqual(DEFAULT_PREFERENCES);
    expect(await load(await write(''))).toEqual(DEFAULT_PREFERENCES);
    expect(await load(await write('\ufeff# theme: high_contrast\n\n  # mouse: true\n'))).toEqual(DEFAULT_PREFERENCES);
  });

  it('are what the file says, and the default where it is silent', async () => {
    const env = await write(`
theme: high_contrast
colours: 16
mouse: true
keys: { resolve: [w, F5x] }
`);
    expect(await load(env)).toMatchObject([{ line: 5, key: 'keys.resolve[1]' }]);
    const mended = await write(`
theme: high_contrast
colours: 16
mouse: true
keys: { resolve: [w, F6] }
`);
    expect(await load(mended)).toEqual({
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

  it('lie below HOME unless XDG_CONFIG_HOME is an absolute path', () => {
    const below = '/home/ada/.config/faultline/config.yaml';
    expect(preferencesPath({ HOME: '/home/ada' })).toBe(below);
    expect(preferencesPath({ HOME: '/home/ada', XDG_CONFIG_HOME: 'relative' })).toBe(below);
    expect(preferencesPath({ HOME: '/home/ada', XDG_CONFIG_HOME: '' })).toBe(below);
    expect(preferencesPath({ HOME: '/home/ada', XDG_CONFIG_HOME: '/etc/xdg' })).toBe('/etc/xdg/faultline/config.yaml');
  });

  it('that cannot be read are a problem, not the defaults', async () => {
    const folder = { XDG_CONFIG_HOME: await temporaryFolder() };
    await mkdir(preferencesPath(folder), { recursive: true });
    expect(await load(folder)).toMatchObject([
      { source: preferencesPath(folder), message: expect.stringMatching(/^cannot be read: /) },
    ]);
    expect(await load(await write(Uint8Array.of(0xff, 0xfe)))).toMatchObject([{ message: 'is not UTF-8 text' }]);
    expect(await load(await write('#'.repeat(800_000)))).toMatchObject([{ message: 'longer than 256 KiB' }]);
    const loop = { XDG_CONFIG_HOME: await temporaryFolder() };
    await mkdir(dirname(preferencesPath(loop)), { recursive: true });
    await symlink(preferencesPath(loop), preferencesPath(loop));
    expect(await load(loop)).toMatchObject([{ message: expect.stringMatching(/^cannot be read: .*ELOOP/) }]);
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
    const unknown = checkKeys(written, DEFAULT_KEYMAP).filter(({ message }) => !message.includes(' means '));
    expect(unknown).toEqual([]);
  });
});
