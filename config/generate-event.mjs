/**
 * Generates from core/event/payload-schema.json what the code knows of the fields of an event. Keywords of a property that JSON Schema does not have:
 * - `maxUnits`: the limit in UTF-16 units beyond which a text is cut, `maxStringLength` or `maxStackLength`.
 * - `normalized`: the schema of the field in the normalized event, if it is not a copy. core/normalize/normalize.ts computes it.
 * - `query`: how queries compare the field, as in `QueryField`; without it, queries cannot name the field.
 * - `otlpAttribute`, `otlpResource`: the attribute of an OTLP record or resource that holds the field by OpenTelemetry's semantic conventions. Fields
 *   with neither pass from one Faultline to another in the attribute `faultline.fields`.
 * - `isIndexed`: whether the index counts the field or shows it in lists.
 * - `isLater`: whether earlier versions did not have the field: raw lines without it are read as if it were empty. A field that is added needs it.
 * - `isRedacted`: whether the text may hold secrets, which the processor `redaction` masks.
 * Keywords of the schema: `normalizedOnly` are properties that only the normalized event has. `displayOrder` orders the columns of a CSV export and the
 * names of query fields; fields that it does not list follow, objects last.
 */
import { compile } from 'json-schema-to-typescript';

const BANNER =
  '// Generated from core/event/payload-schema.json by `npm run schema`. Change the schema, not this file.';
/** The keywords above of a property, without `maxUnits`, which the check understands. */
const ANNOTATIONS = ['isIndexed', 'isLater', 'isRedacted', 'normalized', 'otlpAttribute', 'otlpResource', 'query'];

/** A module with the type of a payload. It imports nothing, because the build copies it into the types of plugins. */
export async function generatePayloadType(schema, options) {
  const { title, description, properties, required } = inAlphabeticalOrder(strictSchema(schema));
  properties.tags.tsType = 'Record<string, string>';
  properties.extra.tsType = '{ [key: string]: Json } | null';
  const type = await compile({ title, description, type: 'object', required, properties }, title, {
    ...options,
    bannerComment: '',
  });
  return `${BANNER}

/** A value that JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

${type}`;
}

/** A module with the type of a normalized event, the fields of a payload as data, and functions that copy them. */
export async function generateEventFields(schema, options) {
  const keys = Object.keys(schema.properties).sort();
  return `${BANNER}
import type { EventId, FingerprintValue } from '../core/event/ids.js';
import type { JsonObject } from '../core/event/json.js';
import type { PayloadField } from '../core/event/payload-field.js';
import type { Payload } from './payload.js';

${await normalizedEventType(schema, options)}
/** The keys of a payload in alphabetical order: the order of a raw line. */
export const RAW_PAYLOAD_KEYS = ${literal(keys)} as const satisfies readonly (keyof Payload)[];

/** The fields of a payload in alphabetical order. */
export const PAYLOAD_FIELDS = ${literal(keys.map((key) => fieldOf(key, schema.properties[key])))} as const satisfies readonly PayloadField[];

/** Returns a payload without values. */
export function emptyPayload(): Payload {
  return {
${keys.map((key) => `    ${key}: ${EMPTY_VALUES[fieldOf(key, schema.properties[key]).kind]},`).join('\n')}
  };
}

/** The fields of a normalized event in the order in which people see them, without its id. */
export const DISPLAYED_FIELDS = ${literal(displayedFields(schema))} as const satisfies readonly (keyof NormalizedEvent)[];

/** Returns a payload with its keys in alphabetical order. */
${copyFunction('inKeyOrder(payload: Payload): Payload', keys, () => 'payload')}
/** The fields of a payload that the index counts or shows in lists. */
export type IndexedPayload = Pick<Payload, ${unionOf(indexedKeys(schema))}>;

/** Returns the fields that the index needs. */
${copyFunction('indexedFields(payload: Payload): IndexedPayload', indexedKeys(schema), () => 'payload')}
${normalizedEventFunction(schema)}`;
}

/** The definitions of the reading API with those of a payload and a normalized event. */
export function withEventSchemas({ $defs, ...answers }, schema) {
  const { description, type, required, properties } = inAlphabeticalOrder(strictSchema(schema));
  const RawPayload = { description, type, required, properties: mapValues(properties, withoutLimit) };
  return { ...answers, $defs: { ...$defs, RawPayload, NormalizedEvent: normalizedSchema(schema) } };
}

/** The schema for the check: without annotations; all properties are required. */
export function strictSchema({ displayOrder: _order, normalizedOnly: _only, ...schema }) {
  const properties = mapValues(schema.properties, withoutAnnotations);
  return { ...schema, properties, required: Object.keys(properties).sort() };
}

function normalizedSchema({ properties, normalizedOnly }) {
  const payload = mapValues(properties, (field) => field.normalized ?? withoutLimit(withoutAnnotations(field)));
  return inAlphabeticalOrder({
    description: 'The event as people see it.',
    type: 'object',
    required: Object.keys({ ...payload, ...normalizedOnly }).sort(),
    properties: { ...payload, ...normalizedOnly },
  });
}

function inAlphabeticalOrder(schema) {
  const keys = Object.keys(schema.properties).sort();
  return { ...schema, properties: Object.fromEntries(keys.map((key) => [key, schema.properties[key]])) };
}

function withoutAnnotations(property) {
  return Object.fromEntries(Object.entries(property).filter(([keyword]) => !ANNOTATIONS.includes(keyword)));
}

function withoutLimit({ maxUnits: _limit, additionalProperties, ...property }) {
  return additionalProperties === undefined
    ? property
    : { ...property, additionalProperties: withoutLimit(additionalProperties) };
}

function mapValues(object, map) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}

async function normalizedEventType(schema, options) {
  const named = {
    '#/$defs/EventId': 'EventId',
    '#/$defs/FingerprintValue': 'FingerprintValue',
    '#/$defs/Timestamp': 'string',
  };
  const event = normalizedSchema(schema);
  event.properties = mapValues(event.properties, (property) =>
    property.$ref === undefined ? property : { tsType: named[property.$ref] },
  );
  event.properties.tags = { ...event.properties.tags, tsType: 'Record<string, string>' };
  event.properties.extra = { ...event.properties.extra, tsType: 'JsonObject' };
  return await compile(event, 'NormalizedEvent', { ...options, bannerComment: '' });
}

/** A row of `PAYLOAD_FIELDS`; keywords that are undefined are left out. */
function fieldOf(name, property) {
  const { type, additionalProperties, maxUnits, query, otlpAttribute, otlpResource, isLater, isRedacted } = property;
  const kind = additionalProperties === undefined ? KINDS[[type].flat().join('|')] : 'tags';
  if (kind === undefined) throw new Error(`payload-schema.json: no field can have the type of ${name}`);
  return { name, kind, maxUnits, query, otlpAttribute, otlpResource, isLater, isRedacted };
}

const KINDS = {
  string: 'text',
  'string|null': 'nullable_text',
  'integer|null': 'nullable_integer',
  'object|null': 'extra',
};

/** By kind of field, as code. */
const EMPTY_VALUES = { text: "''", nullable_text: 'null', nullable_integer: 'null', tags: '{}', extra: 'null' };

function displayedFields({ properties, displayOrder }) {
  const others = Object.keys(properties).filter((key) => !displayOrder.includes(key));
  const keys = [...displayOrder, ...others.sort()];
  const isObject = (key) => [properties[key]?.type].flat().includes('object');
  return [...keys.filter((key) => !isObject(key)), ...keys.filter(isObject)];
}

function indexedKeys({ properties }) {
  return Object.keys(properties)
    .filter((key) => properties[key].isIndexed)
    .sort();
}

function normalizedEventFunction(schema) {
  const derived = Object.keys(schema.properties).filter((key) => 'normalized' in schema.properties[key]);
  const computed = [...derived, ...Object.keys(schema.normalizedOnly)].sort();
  return `/** The fields of a normalized event that are not copied from its payload. */
export type ComputedFields = Pick<NormalizedEvent, ${unionOf(computed)}>;

/** Returns a normalized event with its keys in alphabetical order. */
${copyFunction(
  'toNormalizedEvent(payload: Payload, computed: ComputedFields): NormalizedEvent',
  Object.keys(normalizedSchema(schema).properties),
  (key) => (computed.includes(key) ? 'computed' : 'payload'),
)}`;
}

/** A function that returns an object with the given keys. Code instead of a loop: it runs several times per event. */
function copyFunction(signature, keys, sourceOf) {
  const members = keys.map((key) => `    ${key}: ${sourceOf(key)}.${key},`);
  return [`export function ${signature} {`, '  return {', ...members, '  };', '}', ''].join('\n');
}

function unionOf(keys) {
  return keys.map((key) => `'${key}'`).join(' | ');
}

/** A list with one item per line. */
function literal(items) {
  const texts = items.map((item) =>
    JSON.stringify(item)
      .replaceAll(/"(\w+)":/g, '$1:')
      .replaceAll('"', "'"),
  );
  return ['[', ...texts.map((text) => `  ${text},`), ']'].join('\n');
}
