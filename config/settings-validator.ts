import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Settings } from '../generated/settings.js';
import { checkSettings } from '../generated/settings-check.js';

/** One thing that the schema objects to; `parentSchema` and `data` are set. */
export type SchemaFault = ErrorObject;

/** Checks a plain value against schema.json and fills every default into it. Gives what the schema objects to, or the settings. */
export function validateSettings(value: unknown): { settings: Settings } | { faults: readonly SchemaFault[] } {
  return checkSettings(value) ? { settings: value } : { faults: checkSettings.errors ?? [] };
}
