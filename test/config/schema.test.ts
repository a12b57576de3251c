import { Ajv2020 } from 'ajv/dist/2020.js';
import { loadConfigSchema } from '../../config/default-config.js';

type Schema = Record<string, unknown>;

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Every schema in the document with its JSON pointer. */
function* schemasIn(value: unknown, pointer = ''): Generator<[string, Schema]> {
  if (!isSchema(value)) return;
  yield [pointer, value];
  for (const [key, below] of Object.entries(value)) yield* schemasIn(below, `${pointer}/${key}`);
}

describe('config/schema.json', () => {
  it('is a JSON Schema of 2020-12', () => {
    const ajv = new Ajv2020();
    expect(ajv.validateSchema(loadConfigSchema()) ? [] : ajv.errors).toEqual([]);
  });

  const root: unknown = loadConfigSchema();
  const all = new Map(schemasIn(root));
  const properties = [...all].filter(([pointer]) => /\/properties\/[^/]+$/.test(pointer));
  const target = (schema: Schema) => ({ ...all.get(String(schema['$ref']).replace('#', '')), ...schema });

  it('describes every property, directly or in its definition', () => {
    expect(properties.length).toBeGreaterThan(20);
    for (const [pointer, schema] of properties) {
      expect([pointer, String(target(schema)['description']).length > 10]).toEqual([pointer, true]);
    }
  });

  it('names the default in the description of every string and number', () => {
    for (const [pointer, schema] of properties) {
      const value = schema['default'];
      if (typeof value !== 'string' && typeof value !== 'number') continue;
      expect([pointer, schema['description']]).toEqual([
        pointer,
        expect.stringMatching(new RegExp(`Default \`?${value}\`?\\.$`)),
      ]);
    }
  });

  it('allows no unknown keys, and allows every section to be empty, but not items of a list', () => {
    const items = new Set([...all.values()].map(itemOf));
    for (const [pointer, schema] of all) {
      if (!('properties' in schema || 'patternProperties' in schema) || !('type' in schema)) continue;
      const type = items.has(`#${pointer}`) ? 'object' : ['object', 'null'];
      expect([pointer, schema['type'], schema['additionalProperties']]).toEqual([pointer, type, false]);
    }
  });

  it('has no alternatives, which would report a problem several times', () => {
    for (const [pointer, schema] of all) {
      for (const keyword of ['anyOf', 'oneOf', 'if', 'not'])
        expect([pointer, keyword in schema]).toEqual([pointer, false]);
    }
  });
});

/** The `$ref` of the items of a list; undefined if the schema is not a list of maps. */
function itemOf(schema: Record<string, unknown>): unknown {
  const items = schema['items'];
  return typeof items === 'object' && items !== null && '$ref' in items ? items.$ref : undefined;
}
