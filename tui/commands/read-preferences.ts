import { ConfigError } from '../../config/config-error.js';
import { neutralise } from '../format/visible.js';
import { DEFAULT_KEYMAP } from '../keymap.js';
import { loadPreferences } from '../preferences/load-preferences.js';
import type { Preferences } from '../preferences/preferences.js';
import { print, type TextOutput } from './text-output.js';

/** What the person chose; undefined after printing everything that is wrong with it. */
export async function readPreferences(stderr: TextOutput, env: NodeJS.ProcessEnv): Promise<Preferences | undefined> {
  const loaded = await loadPreferences({ env, bindings: DEFAULT_KEYMAP });
  if ('preferences' in loaded) {
    for (const warning of loaded.warnings) await print(stderr, `${neutralise(warning)}\n`);
    return loaded.preferences;
  }
  const { message } = new ConfigError(loaded.problems, loaded.warnings);
  await print(stderr, `${message.split('\n').map(neutralise).join('\n')}\n`);
  return undefined;
}
