import type { ConfigProblem } from '../config-error.js';
import { closest } from '../values/suggest.js';
import { faultOfFormat, VALUE_FORMATS } from '../values/value-formats.js';
import { type ConfigNode, describeNode } from '../yaml/config-node.js';
import { hasSecrets } from './mask-secrets.js';
import type { SchemaFault } from './settings-validator.js';

type Message = Pick<ConfigProblem, 'message' | 'suggestion'>;
type Schema = Readonly<Record<string, unknown>>;

const DESCRIPTIONS = new Map<string, (schema: Schema, node: ConfigNode) => Message>([
  ['type', describeType],
  ['enum', describeEnum],
  ['format', describeFormat],
  ['formatMinimum', describeRange],
  ['formatMaximum', describeRange],
  ['minimum', describeRange],
  ['maximum', describeRange],
  ['minLength', describeLength],
  ['maxLength', describeLength],
  ['minItems', () => ({ message: 'expected a list that is not empty, found an empty list' })],
  ['maxItems', describeMaxItems],
  ['minProperties', (schema) => ({ message: `expected at least one of ${keysOf(schema)}, found none` })],
  ['pattern', describePattern],
]);

/** Values of YAML 1.1 and the OpenTelemetry Collector, with their name here. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['yes', 'true'],
  ['on', 'true'],
  ['no', 'false'],
  ['off', 'false'],
  ['basic', 'normal'],
  ['detailed', 'normal'],
  ['zstd', 'gzip'],
]);

const MAX_SUGGESTED_LENGTH = 64;
const PLAIN_WORDS = /^[\w./*-]+(?:, ?[\w./*-]+)*$/;
const PATTERN_NAMES: ReadonlyMap<unknown, string> = new Map([['^\\w{1,100}$', 'letters, digits and _']]);

/** Message with the expected and the found value; it does not repeat secrets. */
export function describeWrongValue(fault: SchemaFault, node: ConfigNode): Message {
  const describe = DESCRIPTIONS.get(fault.keyword);
  if (describe === undefined) return { message: `${fault.message}, found ${describeNode(node)}` };
  return describe(fault.parentSchema ?? {}, node);
}

function describeType(schema: Schema, node: ConfigNode): Message {
  const expectation = expected(nameOf(schema), schema, node);
  if (node.kind !== 'scalar' || node.value === null) return expectation;
  const type = mainType(schema);
  if (type === 'array')
    return { ...expectation, suggestion: typeof node.value === 'string' ? listOf(node.text, schema) : undefined };
  if (schema['format'] !== undefined) return describeFormat(schema, node);
  if (type === 'boolean') return { ...expectation, suggestion: synonymIn(node.text, ['true', 'false']) };
  if (type === 'string' && schema['enum'] === undefined)
    return { message: `${expectation.message}; write it in quotes` };
  if (type === 'integer' && typeof node.value === 'string' && /^-?\d{1,15}$/.test(node.value)) {
    return { message: `${expectation.message}; write it without quotes` };
  }
  return expectation;
}

/** The text as a list; undefined if it is not plain words, or a secret. */
function listOf(text: string, schema: Schema): string | undefined {
  const isPlain = text.length <= MAX_SUGGESTED_LENGTH && PLAIN_WORDS.test(text);
  return isPlain && !hasSecrets(schema) ? `[${text}]` : undefined;
}

function describeEnum(schema: Schema, node: ConfigNode): Message {
  const values = valuesOf(schema);
  const written = node.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
  return {
    ...expected(nameOf(schema), schema, node),
    suggestion: written === undefined ? undefined : (closest(written, values) ?? synonymIn(written, values)),
  };
}

function synonymIn(written: string, values: readonly string[]): string | undefined {
  return values.find((value) => value === SYNONYMS.get(written.toLowerCase()));
}

function describeFormat(schema: Schema, node: ConfigNode): Message {
  const text = node.kind === 'scalar' ? node.text : '';
  const fault = faultOfFormat(String(schema['format']), text);
  const expectation = expected(nameOf(schema), schema, node);
  return fault === undefined
    ? expectation
    : {
        message: `${expectation.message}: ${fault.message}`,
        suggestion: isSecret(schema, node) ? undefined : fault.suggestion,
      };
}

function describeRange(schema: Schema, node: ConfigNode): Message {
  const least = schema['minimum'] ?? schema['formatMinimum'];
  const most = schema['maximum'] ?? schema['formatMaximum'];
  const name = mainType(schema) === 'integer' ? 'an integer' : nameOf(schema).replace(/ such as .*/, '');
  if (least !== undefined && most !== undefined) return expected(`${name} from ${least} to ${most}`, schema, node);
  return expected(most === undefined ? `${name} of at least ${least}` : `${name} of at most ${most}`, schema, node);
}

function describeLength(schema: Schema, node: ConfigNode): Message {
  const { minLength, maxLength } = schema;
  const length = node.kind === 'scalar' ? node.text.length : 0;
  const isShort = typeof minLength === 'number' && length < minLength;
  if (isShort && minLength === 1) return expected('a string that is not empty', schema, node);
  const bound = isShort ? `at least ${minLength}` : `at most ${maxLength}`;
  return { message: `expected a string of ${bound} characters, found ${length}` };
}

function describeMaxItems(schema: Schema, node: ConfigNode): Message {
  const length = node.kind === 'list' ? node.items.length : 0;
  return { message: `expected a list of at most ${schema['maxItems']} items, found ${length}` };
}

function describePattern(schema: Schema, node: ConfigNode): Message {
  const name = PATTERN_NAMES.get(schema['pattern']) ?? `a string that matches ${schema['pattern']}`;
  return expected(name, schema, node);
}

function nameOf(schema: Schema): string {
  const values = valuesOf(schema);
  if (values.length > 0) return `one of ${values.join(', ')}`;
  const format = VALUE_FORMATS.get(String(schema['format']));
  if (format !== undefined) return format.expected;
  const type = mainType(schema);
  return (
    {
      object: 'a map',
      array: 'a list',
      integer: 'an integer',
      number: 'a number',
      string: 'a string',
      boolean: 'true or false',
    }[type] ?? type
  );
}

function mainType(schema: Schema): string {
  const { type } = schema;
  return String(Array.isArray(type) ? type[0] : type);
}

function valuesOf(schema: Schema): string[] {
  return Array.isArray(schema['enum']) ? schema['enum'].map(String) : [];
}

function keysOf(schema: Schema): string {
  const properties = schema['properties'];
  return typeof properties === 'object' && properties !== null ? Object.keys(properties).join(', ') : 'its keys';
}

function expected(what: string, schema: Schema, node: ConfigNode): Message {
  return { message: `expected ${what}, found ${isSecret(schema, node) ? describeSecret(node) : describeNode(node)}` };
}

function describeSecret(node: ConfigNode): string {
  if (node.kind !== 'scalar' || node.text === '') return describeNode(node);
  return `a ${typeof node.value}`;
}

/** By the schema, or because a URL has credentials. */
function isSecret(schema: Schema, node: ConfigNode): boolean {
  const isUrl = schema['format'] === 'http-url' || schema['format'] === 'nats-url';
  return hasSecrets(schema) || (isUrl && node.kind === 'scalar' && node.text.includes('@'));
}
