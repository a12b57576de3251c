/**
 * Writes settings.ts from schema.json (`npm run schema`); with `--check` it fails when the two differ.
 * The types describe loaded settings: what has a default is there, an empty section has become its default instance,
 * and a bare number where a size or duration stands has become its text.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { compile } from 'json-schema-to-typescript';

const BANNER = '// Generated from schema.json by `npm run schema`. Change the schema, not this file.';

const schema = JSON.parse(await readFile(new URL('./schema.json', import.meta.url), 'utf8'));
const target = new URL('./settings.ts', import.meta.url);
const wanted = await generate(schema);

if (process.argv.includes('--check')) {
  const found = await readFile(target, 'utf8').catch(() => '');
  if (found !== wanted) {
    console.error('config/settings.ts does not fit config/schema.json: run `npm run schema` and commit the result');
    process.exitCode = 1;
  }
} else {
  await writeFile(target, wanted);
}

async function generate(source) {
  const text = await compile(asLoaded(source), source.title, {
    bannerComment: BANNER,
    additionalProperties: false,
    style: { singleQuote: true, printWidth: 120 },
  });
  return (
    text
      // Says "referenced by `undefined`": the generator loses the name of what refers by a pattern.
      .replaceAll(/^ \*\n \* This interface was referenced by .*\n \* via the `patternProperty` .*\n/gm, '')
      .replaceAll('[k: string]:', '[id: string]:')
      .replaceAll(/^}\n(?=\/\*\*)/gm, '}\n\n')
  );
}

/** The schema of what loadConfig returns, from the schema of what an operator may write. */
function asLoaded(schema) {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(asLoaded);
  const loaded = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, asLoaded(value)]));
  if (Array.isArray(schema.type)) loaded.type = schema.type[0];
  if (schema.properties) {
    loaded.required = Object.keys(schema.properties).filter((key) => 'default' in schema.properties[key]);
    if (Object.keys(schema.properties).length === 0) loaded.tsType = 'Record<string, never>';
  }
  return loaded;
}
