import { checkService, findUnused } from './check-service.js';
import { ConfigError, type ConfigProblem, formatProblem } from './config-error.js';
import { plainValue } from './config-node.js';
import { readConfigSchema } from './config-schema.js';
import { type ConfigTree, readFileTree } from './config-tree.js';
import type { ConfigFile } from './default-config.js';
import { fitToSchema } from './fit-schema.js';
import { mergeNodes } from './merge-nodes.js';
import { type FoundFault, placeFaults } from './place-faults.js';
import { schemaProblems } from './schema-problems.js';
import { readSetTree, sourceOfSet } from './set-option.js';
import type { Settings } from './settings.js';
import { validateSettings } from './settings-validator.js';

/** Where a configuration comes from. */
export interface ConfigSources {
  /** At least one. Merged in this order: maps are joined key by key, lists and scalars of the later file win. */
  files: readonly ConfigFile[];
  /** `a.b.c=v` or `a::b::c=v`, applied last and in this order; the values are YAML. */
  sets: readonly string[];
  /** What `${env:NAME}` is looked up in. */
  env: Readonly<Record<string, string | undefined>>;
  /** Finds what is wrong in settings that fit the schema, where only another room can tell; default: nothing. */
  check?: (settings: Settings) => readonly FoundFault[];
}

/** A configuration that holds. */
export interface LoadedConfig {
  /** Every default filled in, every reference resolved, every size, duration and endpoint sure to parse. */
  settings: Settings;
  /** For the log, with file and line: variables that are not set, components that nothing uses. */
  warnings: string[];
}

/** Reads, merges and checks a configuration; throws a ConfigError that lists every problem at once. */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const { root, problems, warnings } = readSources(sources);
  const refuse = (found: readonly ConfigProblem[]) =>
    new ConfigError(inOrder(found, sources), warnings.map(formatProblem));
  // What cannot be read at all makes everything that refers to it look wrong as well.
  if (root === undefined) throw refuse(problems);
  const fitted = fitToSchema(root, readConfigSchema());
  const checked = validateSettings(plainValue(fitted));
  const wrong = 'faults' in checked ? schemaProblems(checked.faults, fitted) : [];
  const found = [...problems, ...wrong, ...checkService(fitted)];
  if ('faults' in checked) throw refuse(found);
  found.push(...placeFaults(sources.check?.(checked.settings) ?? [], fitted));
  if (found.length > 0) throw refuse(found);
  return { settings: checked.settings, warnings: [...warnings, ...findUnused(fitted)].map(formatProblem) };
}

/** All sources merged into one tree, which is undefined when a file cannot be read. */
function readSources({ files, sets, env }: ConfigSources): ConfigTree {
  if (files.length === 0) {
    const problem = { source: '--config', key: '', message: 'at least one config flag must be provided' };
    return { root: undefined, problems: [problem], warnings: [] };
  }
  const fileTrees = files.map(({ name, text }) => readFileTree(name, text, env));
  const trees = [...fileTrees, ...sets.map((option) => readSetTree(option, env))];
  const problems = trees.flatMap((tree) => tree.problems);
  const warnings = trees.flatMap((tree) => tree.warnings);
  if (fileTrees.some(({ root }) => root === undefined)) return { root: undefined, problems, warnings };
  const roots = trees.flatMap(({ root }) => root ?? []);
  return { root: roots.reduce((earlier, later) => mergeNodes(earlier, later, warnings)), problems, warnings };
}

/** In the order in which they were written: file after file, then the options. */
function inOrder(problems: readonly ConfigProblem[], { files, sets }: ConfigSources): ConfigProblem[] {
  const order = [...files.map(({ name }) => name), ...sets.map(sourceOfSet)];
  const rank = ({ source }: ConfigProblem) => order.indexOf(source);
  return [...problems].sort(
    (a, b) => rank(a) - rank(b) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  );
}
