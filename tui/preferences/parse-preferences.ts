import { coerceToSchema } from '../../config/check/fit-schema.js';
import { locateFaults, type SettingsFault } from '../../config/check/locate-faults.js';
import { schemaProblems } from '../../config/check/schema-problems.js';
import { ConfigError, type ConfigProblem, formatProblem } from '../../config/config-error.js';
import type { ConfigFile } from '../../config/default-config.js';
import { quoted } from '../../config/values/printable.js';
import { closest } from '../../config/values/suggest.js';
import { plainValue } from '../../config/yaml/config-node.js';
import { parseFileTree } from '../../config/yaml/config-tree.js';
import { Fault } from '../../core/event/fault.js';
import { isJsonObject } from '../../core/event/json.js';
import { parseCollectorUrl } from '../../core/http-reader/collector-url.js';
import { checkPreferences } from '../../generated/preferences-check.js';
import { preferencesSchema } from '../../generated/preferences-schema.js';
import type { PreferencesSettings } from '../../generated/preferences-settings.js';
import { checkKeys, type KeyRow } from './check-keys.js';

/** Commands of earlier versions. */
const REMOVED_COMMANDS = ['group', 'pause', 'redo', 'resolve_next'];

type Members = Readonly<Record<string, unknown>>;

/** Parses and checks preferences; `keymap` holds the built-in keys. Throws a ConfigError with all problems in the order of the file. */
export function parsePreferences(
  file: ConfigFile,
  keymap: readonly KeyRow[],
  env: NodeJS.ProcessEnv,
): { readonly settings: PreferencesSettings; readonly warnings: readonly string[] } {
  const { root, problems, warnings: doubts } = parseFileTree(file.name, file.text, env);
  if (root === undefined) throw new ConfigError(problems, doubts.map(formatProblem));
  const fitted = coerceToSchema(root, preferencesSchema);
  const value = plainValue(fitted);
  const isValid = checkPreferences(value);
  const wrong = isValid ? [] : schemaProblems(checkPreferences.errors ?? [], fitted);
  const configured = configuredKeys(value);
  const removed = REMOVED_COMMANDS.filter((command) => configured.delete(command));
  const message = 'this command no longer exists; its keys are ignored';
  const ignored = locateFaults(
    removed.map((command) => ({ path: ['keys', command], isAtKey: true, message })),
    fitted,
  );
  const warnings = [...doubts, ...ignored].map(formatProblem);
  const keys = checkKeys(configured, keymap).map((fault) => ({ ...fault, path: ['keys', ...fault.path] }));
  const found = [...problems, ...wrong, ...locateFaults([...keys, ...checkContexts(value)], fitted)];
  if (!isValid || found.length > 0) throw new ConfigError(inOrder(found), warnings);
  return { settings: value, warnings };
}

/** The keys of an unchecked value; undefined for a list with anything but texts and numbers. */
function configuredKeys(value: unknown): Map<string, readonly string[] | undefined> {
  const { keys } = membersOf(value);
  return new Map(
    Object.entries(membersOf(keys)).map(([command, names]) => [
      command,
      isKeyList(names) ? names.map(String) : undefined,
    ]),
  );
}

function isKeyList(value: unknown): value is (string | number)[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' || typeof item === 'number');
}

/** Sorts problems by position and removes duplicates: a value of a wrong type violates several rules with one sentence. */
function inOrder(problems: readonly ConfigProblem[]): ConfigProblem[] {
  const each = new Map(problems.map((problem) => [formatProblem(problem), problem]));
  return [...each.values()].sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}

/** Checks what the schema cannot: sources are a URL or a folder, once in a context, and the default context exists. */
function checkContexts(value: unknown): SettingsFault[] {
  const { contexts, default_context: chosen } = membersOf(value);
  const names = Object.keys(membersOf(contexts));
  const faults = Object.entries(membersOf(contexts)).flatMap(([name, sources]) =>
    checkSources(sources, ['contexts', name]),
  );
  if (typeof chosen !== 'string' || names.includes(chosen)) return faults;
  const suggestion = closest(chosen, names);
  const message = `expected the name of a context, found ${quoted(chosen)}, which is not in contexts`;
  return [...faults, { path: ['default_context'], message, ...(suggestion === undefined ? {} : { suggestion }) }];
}

function checkSources(sources: unknown, path: readonly string[]): SettingsFault[] {
  if (!Array.isArray(sources)) return [];
  const seen = new Map<string, number>();
  return sources.flatMap((source: unknown, index) => {
    const at = [...path, index];
    const members = membersOf(source);
    return [
      ...checkKind(source, at),
      ...checkUrl(members, at),
      ...checkToken(members, at),
      ...checkRepeated(members, index, seen, at),
    ];
  });
}

function checkKind(source: unknown, path: SettingsFault['path']): SettingsFault[] {
  if (!isJsonObject(source)) return [];
  const [hasUrl, hasData] = [source['url'] !== undefined, source['data'] !== undefined];
  if (hasUrl !== hasData) return [];
  return [{ path, message: `expected url or data, found ${hasUrl ? 'both' : 'neither'}` }];
}

function checkUrl({ url }: Members, path: SettingsFault['path']): SettingsFault[] {
  if (typeof url !== 'string' || url === '') return [];
  try {
    parseCollectorUrl(url);
    return [];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const message = `expected an http or https address such as http://localhost:4319, found ${quoted(url)}`;
    const fault = { path: [...path, 'url'], message };
    return [url.includes('://') ? fault : { ...fault, suggestion: `http://${url}` }];
  }
}

function checkToken({ data, url, ...members }: Members, path: SettingsFault['path']): SettingsFault[] {
  if (data === undefined || url !== undefined) return [];
  return ['token_file', 'token_env'].flatMap((key) =>
    members[key] === undefined ? [] : [{ path: [...path, key], message: 'a data folder does not take a token' }],
  );
}

/** Names, addresses and paths must be unique in a context; `seen` maps those of earlier sources to their indexes. */
function checkRepeated(
  members: Members,
  index: number,
  seen: Map<string, number>,
  path: SettingsFault['path'],
): SettingsFault[] {
  return ['url', 'data', 'name'].flatMap((key) => {
    const value = members[key];
    if (typeof value !== 'string') return [];
    const first = seen.get(`${key} ${value}`);
    if (first === undefined) seen.set(`${key} ${value}`, index);
    return first === undefined
      ? []
      : [{ path: [...path, key], message: `${quoted(value)} is already the ${key} of source [${first}]` }];
  });
}

function membersOf(value: unknown): Members {
  return isJsonObject(value) ? value : {};
}
