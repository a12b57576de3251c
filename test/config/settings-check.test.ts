import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { coerceToSchema } from '../../config/check/fit-schema.js';
import { validateSettings } from '../../config/check/settings-validator.js';
import { loadConfigSchema } from '../../config/default-config.js';
import { compareByFormat, faultOfFormat, VALUE_FORMATS } from '../../config/values/value-formats.js';
import { plainValue } from '../../config/yaml/config-node.js';
import { parseFileTree } from '../../config/yaml/config-tree.js';

const FIXTURES = new URL('../fixtures/config/', import.meta.url);

/** Compiles the schema at run time. */
function compileSchema(): ValidateFunction {
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true, useDefaults: true, verbose: true });
  for (const format of VALUE_FORMATS.keys()) {
    ajv.addFormat(format, { type: 'string', validate: (text: string) => faultOfFormat(format, text) === undefined });
  }
  const limits = { formatMinimum: (order: number) => order >= 0, formatMaximum: (order: number) => order <= 0 };
  for (const [keyword, holds] of Object.entries(limits)) {
    ajv.addKeyword({
      keyword,
      type: 'string',
      schemaType: 'string',
      compile: (limit: string, parentSchema) => (text: string) =>
        holds(compareByFormat(String(parentSchema['format']), text, limit) ?? 0),
    });
  }
  return ajv.compile(loadConfigSchema());
}

function valueIn(file: string): unknown {
  const { root } = parseFileTree(file, readFileSync(new URL(file, FIXTURES), 'utf8'), {});
  return root === undefined ? undefined : plainValue(coerceToSchema(root, loadConfigSchema()));
}

describe('the generated check of settings', () => {
  const check = compileSchema();
  const files = readdirSync(FIXTURES).filter((file) => file.endsWith('.yaml'));

  it.each(files)('gives the same result for %s as the schema compiled at run time', (file) => {
    const value = valueIn(file);
    const wanted = check(value) ? { settings: value } : { faults: check.errors };
    expect(JSON.stringify(validateSettings(valueIn(file)))).toBe(JSON.stringify(wanted));
  });
});
