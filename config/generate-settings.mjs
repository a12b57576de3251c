/**
 * Generates code and documentation from schemas (`npm run schema`, which every build and check runs): types and checks of settings, preferences, payloads
 * and responses of the reading API, the OpenAPI schemas, and the settings reference in docs/configuration.md. Checks are compiled here, because that takes
 * a third of the collector's start. Types describe loaded settings: with defaults, and with sizes and durations as text.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { compile } from 'json-schema-to-typescript';
import { generateAnswerChecks, generateAnswerTypes, generateOpenApiSchemas } from './generate-answers.mjs';
import { generatePayloadCheck, generateSchemaModule, generateSettingsCheck } from './generate-checks.mjs';
import { generateEventFields, generatePayloadType, withEventSchemas } from './generate-event.mjs';
import { writeSettingsReference } from './generate-settings-reference.mjs';

const BANNER = '// Generated from schema.json by `npm run schema`. Change the schema, not this file.';

const COMPILE_OPTIONS = {
  bannerComment: BANNER,
  additionalProperties: false,
  // Otherwise a list of at most sixteen becomes a union of seventeen tuples.
  ignoreMinAndMaxItems: true,
  style: { singleQuote: true, printWidth: 120 },
};

const schema = await readSchema('./schema.json');
const payloadSchema = await readSchema('../core/event/payload-schema.json');
const preferencesSchema = await readSchema('../tui/preferences/schema.json');
const answersSchema = withEventSchemas(await readSchema('../core/reader-schema.json'), payloadSchema);
const generated = {
  'generated/settings.ts': await generate(schema),
  'generated/default-connections.ts': generateDefaults(schema, 'ConnectionSettings', 'DEFAULT_CONNECTIONS'),
  'generated/settings-by-type.ts': generateSettingsByType(schema),
  'generated/settings-check.ts': generateSettingsCheck(schema, {
    check: 'checkSettings',
    settings: '../generated/settings.js',
    formats: '../config/values/value-formats.js',
  }),
  'generated/preferences-settings.ts': await generate(preferencesSchema),
  'generated/preferences-check.ts': generateSettingsCheck(preferencesSchema, {
    check: 'checkPreferences',
    settings: './preferences-settings.js',
    formats: '../config/values/value-formats.js',
  }),
  'generated/preferences-schema.ts': generateSchemaModule(preferencesSchema),
  'generated/payload.ts': await generatePayloadType(payloadSchema, COMPILE_OPTIONS),
  'generated/event-fields.ts': await generateEventFields(payloadSchema, COMPILE_OPTIONS),
  'generated/compiled-payload-check.ts': generatePayloadCheck(payloadSchema),
  'generated/reader-answers.ts': await generateAnswerTypes(answersSchema, COMPILE_OPTIONS),
  'generated/answer-checks.ts': generateAnswerChecks(answersSchema),
  'generated/openapi-schemas.ts': generateOpenApiSchemas(answersSchema),
  'generated/config-texts.ts': generateTexts({
    CONFIG_SCHEMA: JSON.stringify(schema),
    DEFAULT_CONFIG: await readFile(new URL('./default.yaml', import.meta.url), 'utf8'),
  }),
  'docs/configuration.md': await writeSettingsReference(
    await readFile(new URL('../docs/configuration.md', import.meta.url), 'utf8'),
    schema,
    await readFile(new URL('./examples.yaml', import.meta.url), 'utf8'),
  ),
};

await mkdir(new URL('../generated/', import.meta.url), { recursive: true });
for (const [path, wanted] of Object.entries(generated)) {
  const target = new URL(`../${path}`, import.meta.url);
  // Unchanged files keep their modification time, for incremental builds.
  if ((await readFile(target, 'utf8').catch(() => '')) !== wanted) await writeFile(target, wanted);
}

async function readSchema(path) {
  return JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8'));
}

async function generate(source) {
  const text = await compile(asLoaded(source), source.title, COMPILE_OPTIONS);
  return (
    text
      // The generator writes "referenced by `undefined`" for patterns.
      .replaceAll(/^ \*\n \* This interface was referenced by .*\n \* via the `patternProperty` .*\n/gm, '')
      .replaceAll('[k: string]:', '[id: string]:')
      .replaceAll(/^}\n(?=\/\*\*)/gm, '}\n\n')
  );
}

/** Texts of files in config/ as constants, so that the built command needs no files beside it. */
function generateTexts(texts) {
  const lines = Object.entries(texts).map(([name, text]) => `export const ${name} =\n  ${JSON.stringify(text)};\n`);
  return [BANNER, ...lines].join('\n');
}

/** The defaults of a definition as a constant, for endpoints without these settings. */
function generateDefaults({ $defs }, type, name) {
  const lines = Object.entries($defs[type].properties).map(([key, { default: value }]) => {
    return `  ${key}: ${JSON.stringify(value).replaceAll('"', "'")},`;
  });
  return [
    BANNER,
    `import type { ${type} } from '../generated/settings.js';`,
    '',
    `/** The defaults of ${type}. */`,
    `export const ${name}: ${type} = {`,
    ...lines,
    '};',
    '',
  ].join('\n');
}

/** The type of each component's settings, by the component type that the patterns of the sections begin with. */
function generateSettingsByType({ $defs }) {
  const sections = ['Receivers', 'Processors', 'Exporters', 'Extensions'].map((section) => {
    const patterns = Object.entries($defs[`${section}Settings`].patternProperties);
    const types = patterns.map(([pattern, { $ref }]) => {
      const [, type] = /^\^(\w+)/.exec(pattern);
      return `    readonly ${type}: settings.${$ref.replace('#/$defs/', '')};`;
    });
    return [`  readonly ${section.toLowerCase()}: {`, ...types, '  };'];
  });
  return [
    BANNER,
    "import type * as settings from '../generated/settings.js';",
    '',
    '/** Settings of components by section and type. */',
    'export interface SettingsBySection {',
    ...sections.flat(),
    '}',
    '',
    'type Sections = SettingsBySection[keyof SettingsBySection];',
    'type TypesOf<Section> = Section extends unknown ? keyof Section : never;',
    'type SettingsIn<Section, Type> = Section extends unknown ? (Type extends keyof Section ? Section[Type] : never) : never;',
    '',
    '/** Settings of components by their type; a union if a receiver and an exporter have the same type. */',
    'export type SettingsByType = { readonly [Type in TypesOf<Sections>]: SettingsIn<Sections, Type> };',
    '',
  ].join('\n');
}

/** Converts the schema of the configuration to the schema of loaded settings. */
function asLoaded(schema) {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(asLoaded);
  const loaded = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, asLoaded(value)]));
  if (Array.isArray(schema.type)) loaded.type = schema.type[0];
  if (schema.properties) {
    const filled = Object.keys(schema.properties).filter((key) => 'default' in schema.properties[key]);
    loaded.required = [...(schema.required ?? []), ...filled];
    if (Object.keys(schema.properties).length === 0) loaded.tsType = 'Record<string, never>';
  }
  return loaded;
}
