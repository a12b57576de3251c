import type { Settings } from '../generated/settings.js';
import { checkAuthenticators, checkComponents } from './check/check-components.js';
import { checkService, findServiceWarnings } from './check/check-service.js';
import type { SchemaNode } from './check/config-schema.js';
import { coerceToSchema } from './check/fit-schema.js';
import { locateFaults, type SettingsFault } from './check/locate-faults.js';
import { isSecretPath } from './check/mask-secrets.js';
import { type ExtendedSchema, type NamedPlugin, namedPlugins } from './check/plugin-schemas.js';
import { schemaProblems } from './check/schema-problems.js';
import { settingsWithoutFaults, validateSettings } from './check/settings-validator.js';
import { ConfigError, type ConfigProblem, formatProblem } from './config-error.js';
import { type ConfigFile, loadConfigSchema } from './default-config.js';
import { quoted } from './values/printable.js';
import { plainValue, type SourcePosition } from './yaml/config-node.js';
import { type ConfigTree, parseFileTree, parseValueTree, type TreeOptions } from './yaml/config-tree.js';
import { MAX_KEY_DEPTH, mergeNodes, nestUnder } from './yaml/merge-nodes.js';
import type { Environment, ReadReferencedFile } from './yaml/substitute.js';

export interface ConfigSources {
  /** At least one, merged in order: maps by key, lists and scalars are replaced. */
  files: readonly ConfigFile[];
  /** `a.b.c=v` or `a::b::c=v` with YAML values, applied last and in order. */
  sets: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** Reads the file of `${file:PATH}`. Default: such references are rejected. */
  readFile?: ReadReferencedFile;
  /** Further checks of settings that match the schema. Components with schema errors are left out; then `isWhole` is false. Default none. */
  check?: (settings: Settings, isWhole: boolean) => readonly SettingsFault[];
  /** The schema with plugins. Default: schema.json. */
  extended?: ExtendedSchema;
  /** Plugins that were not loaded; components of unknown types may be theirs, so these are not reported. Default none. */
  pluginProblems?: readonly ConfigProblem[];
}

export interface LoadedConfig {
  /** The schema of the settings, with plugins. */
  schema: SchemaNode;
  /** With all defaults and references resolved; every size, duration and endpoint can be parsed. */
  settings: Settings;
  /** For the log, with file and line: unset variables, unused components, processors in a doubtful order. */
  warnings: string[];
}

/** A configuration that may be invalid. */
export interface ExaminedConfig {
  /** The schema of the settings, with plugins. */
  schema: SchemaNode;
  /** Undefined if the values do not match the schema; other checks may still have found problems. */
  settings: Settings | undefined;
  problems: readonly ConfigProblem[];
  warnings: readonly ConfigProblem[];
  /** Adds positions to faults that are found later. */
  locate: (faults: readonly SettingsFault[]) => ConfigProblem[];
  /** Sorts problems in the order of the sources. */
  sort: (problems: readonly ConfigProblem[]) => ConfigProblem[];
}

/** Parses, merges and checks a configuration; throws a ConfigError with every problem. */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const examined = examineConfig(sources);
  const { schema, settings, problems } = examined;
  const warnings = examined.warnings.map(formatProblem);
  if (settings === undefined || problems.length > 0) throw new ConfigError(problems, warnings);
  return { schema, settings, warnings };
}

/** Like `loadConfig`, but returns the problems, so that the caller can add others. */
export function examineConfig(sources: ConfigSources): ExaminedConfig {
  const { schema = loadConfigSchema(), check } = sources.extended ?? {};
  const { root, problems, warnings } = readSources(sources, schema);
  const sort = (unsorted: readonly ConfigProblem[]) => sorted(unsorted, sources);
  // Without a source that cannot be parsed, references to its components would be reported too.
  if (root === undefined)
    return { schema, settings: undefined, problems: sort(problems), warnings, locate: () => [], sort };
  const fitted = coerceToSchema(root, schema);
  const locate = (faults: readonly SettingsFault[]) => locateFaults(faults, fitted);
  const { settings, faults = [] } = validateSettings(plainValue(fitted), check);
  const references = [checkService, checkAuthenticators, checkComponents].flatMap((check) => check(fitted));
  const { pluginProblems = [] } = sources;
  const schemaErrors = schemaProblems(faults, fitted, pluginProblems.length > 0);
  const checkable = settings ?? settingsWithoutFaults(fitted, faults, check);
  const componentFaults = checkable === undefined ? [] : (sources.check?.(checkable, settings !== undefined) ?? []);
  const errors = locate(componentFaults.filter(({ isWarning }) => isWarning !== true));
  const all = sort([...problems, ...pluginProblems, ...schemaErrors, ...errors, ...references]);
  // In an invalid configuration, most of these warnings are consequences of a problem.
  const doubts =
    all.length > 0
      ? []
      : [...findServiceWarnings(fitted), ...locate(componentFaults.filter(({ isWarning }) => isWarning === true))];
  return { schema, settings, problems: all, warnings: [...warnings, ...doubts], locate, sort };
}

/** Returns the plugins that the sources name, in order. */
export function pluginsIn(sources: ConfigSources): NamedPlugin[] {
  const mayName = [...sources.files.map(({ text }) => text), ...sources.sets].some((text) => text.includes('plugins'));
  return mayName ? namedPlugins(readSources(sources, loadConfigSchema()).root) : [];
}

/** All sources merged into one tree, which is undefined if a file cannot be parsed. */
function readSources({ files, sets, env, readFile }: ConfigSources, schema: SchemaNode): ConfigTree {
  if (files.length === 0) {
    const problem = { source: '--config', key: '', message: 'at least one config flag must be provided' };
    return { root: undefined, problems: [problem], warnings: [] };
  }
  const options: TreeOptions = { readFile, isSecret: (path) => isSecretPath(schema, path) };
  const fileTrees = files.map(({ name, text }) => parseFileTree(name, text, env, options));
  const trees = [...fileTrees, ...sets.map((option) => parseSetOption(option, env, options))];
  const problems = trees.flatMap((tree) => tree.problems);
  const warnings = trees.flatMap((tree) => tree.warnings);
  if (fileTrees.some(({ root }) => root === undefined)) return { root: undefined, problems, warnings };
  const roots = trees.flatMap(({ root }) => root ?? []);
  return { root: roots.reduce((earlier, later) => mergeNodes(earlier, later, warnings)), problems, warnings };
}

/** Sorts by source (files, then options, then referenced files), line and column. */
function sorted(problems: readonly ConfigProblem[], { files, sets }: ConfigSources): ConfigProblem[] {
  const order = [...files.map(({ name }) => name), ...sets.map(sourceOfSet)];
  const rank = ({ source }: ConfigProblem) => (order.includes(source) ? order.indexOf(source) : order.length);
  return [...problems].sort(
    (a, b) => rank(a) - rank(b) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  );
}

/** Ends before the value, which may be a secret; `::` separates keys, a single colon does not. */
const KEY = /^(?:[^=:\s]|::)*/;

/** Without the value, which may be a secret. */
function sourceOfSet(option: string): string {
  return `--set ${KEY.exec(option)?.[0] ?? ''}`;
}

/** Parses `a.b.c=v`, or `a::b::c=v` if a component's name has a dot; a value that is not YAML is a string. */
function parseSetOption(option: string, env: Environment, options?: TreeOptions): ConfigTree {
  const at: SourcePosition = { source: sourceOfSet(option) };
  const equals = option.indexOf('=');
  const key = equals === -1 ? option : option.slice(0, equals);
  const path = key.split(key.includes('::') ? '::' : '.');
  if (equals === -1 || path.includes('') || path.length > MAX_KEY_DEPTH) {
    const shown = equals === -1 ? 'no equals sign' : quoted(`${KEY.exec(key)?.[0]}=…`);
    const message = `expected a dotted key and a value such as service.telemetry.logs.level=debug, found ${shown}`;
    return { root: undefined, problems: [{ ...at, key: '', message }], warnings: [] };
  }
  const tree = parseValueTree(option.slice(equals + 1), at, path, env, options);
  return tree.root === undefined ? tree : { ...tree, root: nestUnder(path, at, tree.root) };
}
