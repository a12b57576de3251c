import { fitToSchema } from '../../config/check/fit-schema.js';
import { type FoundFault, placeFaults } from '../../config/check/place-faults.js';
import { schemaProblems } from '../../config/check/schema-problems.js';
import { type ConfigProblem, formatProblem } from '../../config/config-error.js';
import type { ConfigFile } from '../../config/default-config.js';
import { plainValue } from '../../config/yaml/config-node.js';
import { readFileTree } from '../../config/yaml/config-tree.js';
import { checkPreferences } from '../../generated/preferences-check.js';
import { preferencesSchema } from '../../generated/preferences-schema.js';
import type { PreferencesSettings } from '../../generated/preferences-settings.js';
import { checkContexts } from './check-contexts.js';
import { checkKeys, type KeyRow, type WrittenKeys } from './check-keys.js';

/** Valid settings with warnings, or all problems in the order of the file. */
export type ReadPreferences =
  | { readonly settings: PreferencesSettings; readonly warnings: readonly string[] }
  | { readonly problems: readonly ConfigProblem[]; readonly warnings: readonly string[] };

/** Parses and checks preferences; `rows` are the built-in keys. Never throws for the content of the text. */
export function readPreferences(file: ConfigFile, rows: readonly KeyRow[], env: NodeJS.ProcessEnv): ReadPreferences {
  const { root, problems, warnings: doubts } = readFileTree(file.name, file.text, env);
  const warnings = doubts.map(formatProblem);
  if (root === undefined) return { problems, warnings };
  const fitted = fitToSchema(root, preferencesSchema);
  const value = plainValue(fitted);
  const isValid = checkPreferences(value);
  const wrong = isValid ? [] : schemaProblems(checkPreferences.errors ?? [], fitted);
  const faults = [...belowKeys(checkKeys(writtenKeys(value), rows)), ...checkContexts(value)];
  const found = [...problems, ...wrong, ...placeFaults(faults, fitted)];
  if (!isValid || found.length > 0) return { problems: inOrder(found), warnings };
  return { settings: value, warnings };
}

/** The keys of an unchecked value; undefined for a list with anything but texts and numbers. */
function writtenKeys(value: unknown): WrittenKeys {
  const keys = typeof value === 'object' && value !== null && 'keys' in value ? value.keys : undefined;
  if (typeof keys !== 'object' || keys === null || Array.isArray(keys)) return new Map();
  return new Map(
    Object.entries(keys).map(([command, names]) => [command, isKeyList(names) ? names.map(String) : undefined]),
  );
}

function isKeyList(value: unknown): value is (string | number)[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' || typeof item === 'number');
}

function belowKeys(faults: readonly FoundFault[]): FoundFault[] {
  return faults.map((fault) => ({ ...fault, path: ['keys', ...fault.path] }));
}

/** Sorts problems by position and removes duplicates: a value of a wrong type violates several rules with one sentence. */
function inOrder(problems: readonly ConfigProblem[]): ConfigProblem[] {
  const each = new Map(problems.map((problem) => [formatProblem(problem), problem]));
  return [...each.values()].sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}
