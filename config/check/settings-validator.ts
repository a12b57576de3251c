import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Settings } from '../../generated/settings.js';
import { checkSettings } from '../../generated/settings-check.js';
import { type ConfigNode, plainValue } from '../yaml/config-node.js';

/** One thing that the schema objects to; `parentSchema` and `data` are set. */
export type SchemaFault = ErrorObject;

/** Checks a plain value against schema.json and fills every default into it. Gives what the schema objects to, or the settings. */
export function validateSettings(value: unknown): { settings: Settings } | { faults: readonly SchemaFault[] } {
  return checkSettings(value) ? { settings: value } : { faults: checkSettings.errors ?? [] };
}

/** Sections in which each entry can be judged by itself, and of `service` each pipeline; every other section is one part. */
const SECTIONS_WITH_ENTRIES = ['receivers', 'processors', 'exporters', 'extensions', 'service'];
const PIPELINES = 'pipelines';

/**
 * The settings without the components, pipelines and sections that the schema objects to, so that the others can be judged beside the objections.
 * Undefined when nothing that holds is left.
 */
export function settingsWithoutFaults(root: ConfigNode, faults: readonly SchemaFault[]): Settings | undefined {
  const rest = plainValue(root);
  for (const fault of faults) removeAt(rest, removablePathOf(fault));
  const checked = validateSettings(rest);
  return 'settings' in checked ? checked.settings : undefined;
}

function removablePathOf({ keyword, instancePath, params }: SchemaFault): string[] {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  // An unknown key is the fault of nothing but itself; in a component it makes the whole one doubtful.
  const whole = keyword === 'additionalProperties' ? [...path, String(params['additionalProperty'])] : path;
  const isPipeline = whole[0] === 'service' && whole[1] === PIPELINES;
  return whole.slice(0, isPipeline ? 3 : SECTIONS_WITH_ENTRIES.includes(whole[0] ?? '') ? 2 : 1);
}

/** Removes what stands at a path below objects, in place: a copy for each of thousands of faults would take seconds. */
function removeAt(value: unknown, [key, ...rest]: readonly string[]): void {
  if (!isMap(value) || key === undefined || !Object.hasOwn(value, key)) return;
  if (rest.length === 0) delete value[key];
  else removeAt(value[key], rest);
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
