import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { Settings } from '../../generated/settings.js';
import { checkSettings } from '../../generated/settings-check.js';
import { type ConfigNode, plainValue } from '../yaml/config-node.js';

/** A schema error; `parentSchema` and `data` are set. */
export type SchemaFault = ErrorObject;

/** Checks a plain value, adds defaults to it, and has the `errors` of the last call. */
export type SettingsCheck = ValidateFunction<Settings>;

/** Validates a plain value against a schema and adds the defaults to it. */
export function validateSettings(
  value: unknown,
  check: SettingsCheck = checkSettings,
): { settings: Settings; faults?: undefined } | { settings?: undefined; faults: readonly SchemaFault[] } {
  return check(value) ? { settings: value } : { faults: check.errors ?? [] };
}

/** Sections whose entries can be removed one by one, in `service` also each pipeline; other sections are removed as a whole. */
const SECTIONS_WITH_ENTRIES = ['receivers', 'processors', 'exporters', 'extensions', 'service'];

/** The settings without the components, pipelines and sections that have schema errors; undefined if the rest is invalid too. */
export function settingsWithoutFaults(
  root: ConfigNode,
  faults: readonly SchemaFault[],
  check?: SettingsCheck,
): Settings | undefined {
  const rest = plainValue(root);
  for (const fault of faults) removeAt(rest, removablePathOf(fault));
  return validateSettings(rest, check).settings;
}

function removablePathOf({ keyword, instancePath, params }: SchemaFault): string[] {
  const path = parsePointer(instancePath);
  // An unknown key is removed alone, or with its component.
  const whole = keyword === 'additionalProperties' ? [...path, String(params['additionalProperty'])] : path;
  const isPipeline = whole[0] === 'service' && whole[1] === 'pipelines';
  return whole.slice(0, isPipeline ? 3 : SECTIONS_WITH_ENTRIES.includes(whole[0] ?? '') ? 2 : 1);
}

/** The keys of a JSON pointer. */
export function parsePointer(pointer: string): string[] {
  const tokens = pointer.split('/').slice(1);
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Removes the value at a path in place: copying for each of thousands of faults would take seconds. */
function removeAt(value: unknown, [key, ...rest]: readonly string[]): void {
  if (!isMap(value) || key === undefined || !Object.hasOwn(value, key)) return;
  if (rest.length === 0) delete value[key];
  else removeAt(value[key], rest);
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
