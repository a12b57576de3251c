import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { readConfigSchema } from './config-schema.js';
import type { Settings } from './settings.js';
import { compareByFormat, faultOfFormat, VALUE_FORMATS } from './value-formats.js';

/** One thing that the schema objects to; `parentSchema` and `data` are set. */
export type SchemaFault = ErrorObject;

let compiled: ValidateFunction<Settings> | undefined;

/**
 * Checks a plain value against schema.json and fills every default into it. Gives what the schema objects to, or the settings.
 * The schema is compiled at the first call, which takes about a tenth of a second.
 */
export function validateSettings(value: unknown): { settings: Settings } | { faults: readonly SchemaFault[] } {
  compiled ??= compileSchema();
  return compiled(value) ? { settings: value } : { faults: compiled.errors ?? [] };
}

function compileSchema(): ValidateFunction<Settings> {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    // A test checks the schema against its meta-schema; compiling that takes a tenth of the collector's start.
    validateSchema: false,
    meta: false,
    // A section may be null, and sizes and durations may be bare numbers: the loader has replaced both before.
    allowUnionTypes: true,
    useDefaults: true,
    verbose: true,
  });
  for (const format of VALUE_FORMATS.keys()) {
    ajv.addFormat(format, { type: 'string', validate: (text: string) => faultOfFormat(format, text) === undefined });
  }
  addLimit(ajv, 'formatMinimum', (order) => order >= 0);
  addLimit(ajv, 'formatMaximum', (order) => order <= 0);
  return ajv.compile<Settings>(readConfigSchema());
}

/** A text that does not fit its format passes: the format itself reports it. */
function addLimit(ajv: Ajv2020, keyword: string, holds: (order: number) => boolean): void {
  ajv.addKeyword({
    keyword,
    type: 'string',
    schemaType: 'string',
    compile: (limit: string, parentSchema) => (text: string) => {
      const order = compareByFormat(String(parentSchema['format']), text, limit);
      return order === undefined || holds(order);
    },
  });
}
