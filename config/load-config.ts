import type { Settings } from '../generated/settings.js';
import { checkAuthenticators } from './check/check-authenticators.js';
import { checkComponents } from './check/check-components.js';
import { checkService, findUnused } from './check/check-service.js';
import { readConfigSchema, type SchemaNode } from './check/config-schema.js';
import { findOrderWarnings } from './check/find-doubtful-order.js';
import { fitToSchema } from './check/fit-schema.js';
import { isSecretPath } from './check/mask-secrets.js';
import { type FoundFault, placeFaults } from './check/place-faults.js';
import { schemaProblems } from './check/schema-problems.js';
import { settingsWithoutFaults, validateSettings } from './check/settings-validator.js';
import { ConfigError, type ConfigProblem, formatProblem } from './config-error.js';
import type { ConfigFile } from './default-config.js';
import { quoted } from './values/printable.js';
import { type ConfigNode, type SourcePosition, plainValue } from './yaml/config-node.js';
import { type ConfigTree, readFileTree, parseValueTree, type TreeOptions } from './yaml/config-tree.js';
import { MAX_KEY_PARTS, mergeNodes, nestUnder } from './yaml/merge-nodes.js';
import type { Environment, ReadReferencedFile } from './yaml/substitute.js';

/** Where a configuration comes from. */
export interface ConfigSources {
  /** At least one. Merged in this order: maps are joined key by key, lists and scalars of the later file win. */
  files: readonly ConfigFile[];
  /** `a.b.c=v` or `a::b::c=v`, applied last and in this order; the values are YAML. */
  sets: readonly string[];
  /** What `${env:NAME}` is looked up in. */
  env: Readonly<Record<string, string | undefined>>;
  /** Reads what `${file:PATH}` names; default: such references are refused. */
  readFile?: ReadReferencedFile;
  /**
   * Finds what is wrong or doubtful in settings that fit the schema, where only another room can tell; default: nothing. Where parts do not fit, it gets
   * the settings without them, and `isWhole` is false: what stands by itself is judged all the same.
   */
  check?: (settings: Settings, isWhole: boolean) => readonly FoundFault[];
}

/** A configuration that holds. */
export interface LoadedConfig {
  /** Every default filled in, every reference resolved, every size, duration and endpoint sure to parse. */
  settings: Settings;
  /** For the log, with file and line: variables that are not set, components that nothing uses, processors in a doubtful order. */
  warnings: string[];
}

/** A configuration, whether it holds or not. */
export interface ExaminedConfig {
  /** As `LoadedConfig.settings`, when the values fit the schema: references and other rooms may still object. Undefined when they do not. */
  settings: Settings | undefined;
  problems: readonly ConfigProblem[];
  warnings: readonly ConfigProblem[];
  /** Places what is found later on in the settings. */
  place: (faults: readonly FoundFault[]) => ConfigProblem[];
  /** Puts problems into the order in which they were written. */
  arrange: (problems: readonly ConfigProblem[]) => ConfigProblem[];
}

/** Reads, merges and checks a configuration; throws a ConfigError that lists every problem at once. */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const { settings, problems, warnings: found } = examineConfig(sources);
  const warnings = found.map(formatProblem);
  if (settings === undefined || problems.length > 0) throw new ConfigError(problems, warnings);
  return { settings, warnings };
}

/** As `loadConfig` for who has more to look at before it is refused: never throws for what the texts hold. */
export function examineConfig(sources: ConfigSources): ExaminedConfig {
  const schema = readConfigSchema();
  const { root, problems, warnings } = readSources(sources, schema);
  const arrange = (found: readonly ConfigProblem[]) => sorted(found, sources);
  // What cannot be read at all makes everything that refers to it look wrong as well.
  if (root === undefined)
    return { settings: undefined, problems: arrange(problems), warnings, place: () => [], arrange };
  const fitted = fitToSchema(root, schema);
  const place = (faults: readonly FoundFault[]) => placeFaults(faults, fitted);
  const checked = validateSettings(plainValue(fitted));
  const references = [checkService, checkAuthenticators, checkComponents].flatMap((check) => check(fitted));
  const settings = 'faults' in checked ? undefined : checked.settings;
  const objections = 'faults' in checked ? schemaProblems(checked.faults, fitted) : [];
  const judged = settings ?? ('faults' in checked ? settingsWithoutFaults(fitted, checked.faults) : undefined);
  const found = judged === undefined ? [] : (sources.check?.(judged, settings !== undefined) ?? []);
  const wrong = place(found.filter(({ isDoubt }) => isDoubt !== true));
  const all = arrange([...problems, ...objections, ...wrong, ...references]);
  // What is doubtful in a configuration that does not hold is mostly an echo of what is wrong.
  const doubts = all.length > 0 ? [] : [...doubtsIn(fitted), ...place(found.filter(({ isDoubt }) => isDoubt === true))];
  return { settings, problems: all, warnings: [...warnings, ...doubts], place, arrange };
}

function doubtsIn(fitted: ConfigNode): ConfigProblem[] {
  return [...findUnused(fitted), ...findOrderWarnings(fitted)];
}

/** All sources merged into one tree, which is undefined when a file cannot be read. */
function readSources({ files, sets, env, readFile }: ConfigSources, schema: SchemaNode): ConfigTree {
  if (files.length === 0) {
    const problem = { source: '--config', key: '', message: 'at least one config flag must be provided' };
    return { root: undefined, problems: [problem], warnings: [] };
  }
  const options: TreeOptions = { readFile, isSecret: (path) => isSecretPath(schema, path) };
  const fileTrees = files.map(({ name, text }) => readFileTree(name, text, env, options));
  const trees = [...fileTrees, ...sets.map((option) => readSetTree(option, env, options))];
  const problems = trees.flatMap((tree) => tree.problems);
  const warnings = trees.flatMap((tree) => tree.warnings);
  if (fileTrees.some(({ root }) => root === undefined)) return { root: undefined, problems, warnings };
  const roots = trees.flatMap(({ root }) => root ?? []);
  return { root: roots.reduce((earlier, later) => mergeNodes(earlier, later, warnings)), problems, warnings };
}

/** In the order in which they were written: file after file, then the options, then the files that are referred to. */
function sorted(problems: readonly ConfigProblem[], { files, sets }: ConfigSources): ConfigProblem[] {
  const order = [...files.map(({ name }) => name), ...sets.map(sourceOfSet)];
  const rank = ({ source }: ConfigProblem) => (order.includes(source) ? order.indexOf(source) : order.length);
  return [...problems].sort(
    (a, b) => rank(a) - rank(b) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  );
}

/** Up to the value, which may be a secret; two colons part keys, one colon does not. */
const KEY = /^(?:[^=:\s]|::)*/;

/** How problems name a `--set`: by its key alone, because the value may be a secret. */
function sourceOfSet(option: string): string {
  return `--set ${KEY.exec(option)?.[0] ?? ''}`;
}

/**
 * The tree that a `--set` stands for: `a.b.c=v`, or `a::b::c=v` where a component's name has a dot. The value is YAML, and a string
 * where it is not. Its source is the option without its value.
 */
function readSetTree(option: string, env: Environment, options?: TreeOptions): ConfigTree {
  const at: SourcePosition = { source: sourceOfSet(option) };
  const equals = option.indexOf('=');
  const key = equals === -1 ? option : option.slice(0, equals);
  const path = key.split(key.includes('::') ? '::' : '.');
  if (equals === -1 || path.includes('') || path.length > MAX_KEY_PARTS) {
    const found = equals === -1 ? 'no equals sign' : quoted(`${KEY.exec(key)?.[0]}=…`);
    const message = `expected a dotted key and a value, as in service.telemetry.logs.level=debug, found ${found}`;
    return { root: undefined, problems: [{ ...at, key: '', message }], warnings: [] };
  }
  const tree = parseValueTree(option.slice(equals + 1), at, path, env, options);
  return tree.root === undefined ? tree : { ...tree, root: nestUnder(path, at, tree.root) };
}
