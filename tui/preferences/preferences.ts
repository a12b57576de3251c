import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ConfigFile } from '../../config/default-config.js';
import { parseCollectorUrl } from '../../core/http-reader/collector-url.js';
import { hasCode } from '../../core/storage/files/system-error.js';
import { checkPreferences } from '../../generated/preferences-check.js';
import type { PreferencesSettings, SourceSettings } from '../../generated/preferences-settings.js';
import { DEFAULT_KEYMAP } from '../terminal/keymap.js';
import type { KeyRow } from './check-keys.js';
import { homeFolder, xdgFolder } from './xdg-folder.js';

/** Preferences of the terminal. Names and paths come from a file: neutralise them before they are shown. */
export interface Preferences extends Pick<PreferencesSettings, 'theme' | 'colours' | 'characters' | 'time'> {
  readonly isMouseOn: boolean;
  readonly isForScreenReader: boolean;
  /** Keys by command, as configured; see `applyKeys`. */
  readonly keys: ReadonlyMap<string, PreferencesSettings['keys'][string]>;
  /** Sources by the name of their context; at least one each. */
  readonly contexts: ReadonlyMap<string, readonly ContextSource[]>;
  /** Templates of links to an editor and to the source. */
  readonly links: PreferencesSettings['links'];
  /** A name of `contexts`. */
  readonly defaultContext: PreferencesSettings['default_context'];
}

/** A collector by the address of its reading API, or a data folder by its path. */
export type ContextSource =
  | { readonly url: string; readonly name: string; readonly tokenFile?: string; readonly tokenEnv?: string }
  | { readonly data: string; readonly name: string };

/** Makes preferences of valid settings; paths that begin with `~/` are resolved against `home`. */
function toPreferences(settings: PreferencesSettings, home: string): Preferences {
  const { theme, colours, characters, time } = settings;
  const contexts = Object.entries(settings.contexts).map(
    ([name, sources]) => [name, sources.map((source) => toSource(source, home))] as const,
  );
  return {
    theme,
    colours,
    characters,
    time,
    isMouseOn: settings.mouse,
    isForScreenReader: settings.screen_reader,
    keys: new Map(Object.entries(settings.keys)),
    contexts: new Map(contexts),
    links: settings.links,
    defaultContext: settings.default_context,
  };
}

/** The default name of a collector is its host, which has no credentials. */
function toSource(settings: SourceSettings, home: string): ContextSource {
  const { url, data = '', name, token_file: tokenFile, token_env: tokenEnv } = settings;
  if (url !== undefined) {
    return {
      url,
      name: name ?? parseCollectorUrl(url).host,
      ...(tokenFile !== undefined && { tokenFile: atHome(tokenFile, home) }),
      ...(tokenEnv !== undefined && { tokenEnv }),
    };
  }
  const path = atHome(data, home);
  return { data: path, name: name ?? (basename(path) || path) };
}

function atHome(path: string, home: string): string {
  return path.startsWith('~/') ? join(home, path.slice(2)) : path;
}

/** Blanks and comments. */
const EMPTY_LINE = /^[ \t\r\ufeff]*(?:#|$)/;

/** The path of the preferences: `faultline/config.yaml` in the XDG folder for configuration, default `~/.config`. */
export function preferencesPath(env: NodeJS.ProcessEnv): string {
  return join(xdgFolder(env, 'config'), 'config.yaml');
}

/** Loads the preferences, without a file or settings in it the defaults; `readFile` returns undefined without a file. Throws a ConfigError with all problems. */
export async function loadPreferences(
  env: NodeJS.ProcessEnv,
  keymap: readonly KeyRow[] = DEFAULT_KEYMAP,
  readFile = readFromDisk,
): Promise<{ readonly preferences: Preferences; readonly warnings: readonly string[] }> {
  const home = homeFolder(env);
  const file = await readFile(preferencesPath(env));
  if (file === undefined || file.text.split('\n').every((line) => EMPTY_LINE.test(line))) {
    return { preferences: defaultPreferences(home), warnings: [] };
  }
  const { parsePreferences } = await import('./parse-preferences.js');
  const { settings, warnings } = parsePreferences(file, keymap, env);
  return { preferences: toPreferences(settings, home), warnings };
}

function defaultPreferences(home: string): Preferences {
  const settings: unknown = {};
  if (!checkPreferences(settings)) throw new Error('The schema of the preferences rejects their defaults');
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
