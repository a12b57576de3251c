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
  /** Says where the file lies (`XDG_CONFIG_HOME`, `HOME`), and what `${env:NAME}` in it is. */
  readonly env: NodeJS.ProcessEnv;
  /** The built-in keys, against which a person's own are checked. */
  readonly bindings: readonly KeyRow[];
  /** Reads a file, or answers undefined where there is none; a ConfigError says why it cannot be read. Default: from disk. */
  readonly readFile?: (path: string) => Promise<ConfigFile | undefined>;
}

/** Preferences with what is doubtful in them, for people; or everything that is wrong with them, which `ConfigError` words. */
export type LoadedPreferences =
  | { readonly preferences: Preferences; readonly warnings: readonly string[] }
  | { readonly problems: readonly ConfigProblem[]; readonly warnings: readonly string[] };

/** What has no content: blanks and comments. */
const EMPTY_LINE = /^[ \t\r\ufeff]*(?:#|$)/;

/** The path of the preferences: `faultline/config.yaml` in the XDG folder for configuration, default `~/.config`. */
export function preferencesPath(env: NodeJS.ProcessEnv): string {
  return join(xdgFolder(env, 'config'), 'config.yaml');
}

/** Loads what a person chose for the terminal; without a file, or with one that holds nothing but comments, everything is as by default. Never throws for what is in the file. */
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
    // Any other reason is told by the reading.
  }
  // This and the reading load the YAML parser, which takes longer than all else here; most people have no file.
  const { readConfigFiles } = await import('../../config/yaml/read-config-files.js');
  const [file] = await readConfigFiles([path]);
  return file;
}
