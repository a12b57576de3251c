import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, type ConfigProblem } from '../../config/config-error.js';
import type { ConfigFile } from '../../config/default-config.js';
import { hasCode } from '../../core/storage/files/system-error.js';
import { checkPreferences } from '../../generated/preferences-check.js';
import type { KeyRow } from './check-keys.js';
import { type Preferences, toPreferences } from './preferences.js';
import { homeFolder, xdgFolder } from './xdg-folder.js';

export interface PreferencesSources {
  /** Locates the file (`XDG_CONFIG_HOME`, `HOME`) and resolves `${env:NAME}` in it. */
  readonly env: NodeJS.ProcessEnv;
  /** The built-in keys, against which configured ones are checked. */
  readonly bindings: readonly KeyRow[];
  /** Returns undefined if the file does not exist; throws a ConfigError if it cannot be read. Default: reads from disk. */
  readonly readFile?: (path: string) => Promise<ConfigFile | undefined>;
}

/** Preferences with warnings, or all problems of the file. */
export type LoadedPreferences =
  | { readonly preferences: Preferences; readonly warnings: readonly string[] }
  | { readonly problems: readonly ConfigProblem[]; readonly warnings: readonly string[] };

/** Blanks and comments. */
const EMPTY_LINE = /^[ \t\r\ufeff]*(?:#|$)/;

/** The path of the preferences: `faultline/config.yaml` in the XDG folder for configuration, default `~/.config`. */
export function preferencesPath(env: NodeJS.ProcessEnv): string {
  return join(xdgFolder(env, 'config'), 'config.yaml');
}

/** Loads the preferences of the terminal; the defaults without a file or with only comments in it. Never throws for the content of the file. */
export async function loadPreferences(sources: PreferencesSources): Promise<LoadedPreferences> {
  const { env, bindings, readFile = readFromDisk } = sources;
  const home = homeFolder(env);
  try {
    const file = await readFile(preferencesPath(env));
    if (file === undefined || file.text.split('\n').every((line) => EMPTY_LINE.test(line))) {
      return { preferences: defaultPreferences(home), warnings: [] };
    }
    const { readPreferences } = await import('./read-preferences.js');
    const read = readPreferences(file, bindings, env);
    if ('problems' in read) return read;
    return { preferences: toPreferences(read.settings, home), warnings: read.warnings };
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems, warnings: error.warnings };
    throw error;
  }
}

function defaultPreferences(home: string): Preferences {
  const settings: unknown = {};
  if (!checkPreferences(settings)) throw new Error('schema.json of the preferences does not hold for its own defaults');
  return toPreferences(settings, home);
}

async function readFromDisk(path: string): Promise<ConfigFile | undefined> {
  try {
    await stat(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    // `readConfigFiles` reports any other reason.
  }
  // Imported lazily: the YAML parser is slow to load, and most people have no file.
  const { readConfigFiles } = await import('../../config/yaml/read-config-files.js');
  const [file] = await readConfigFiles([path]);
  return file;
}
