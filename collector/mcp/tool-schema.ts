import { fromJsonSchema, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { quoted } from '../../config/values/printable.js';
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../../core/event/json.js';
import { cutText } from '../../core/event/text.js';
import { OPENAPI_SCHEMAS } from '../../generated/openapi-schemas.js';
import { nameHint } from '../query/parameters.js';
import { ANSWER_TOKENS } from './tool-answer.js';

const UUID = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';
const MAX_ROWS = 50;

/** The id of an issue or an event. */
export const ID = { type: 'string', pattern: UUID } as const;
/** The id of an issue, or its first 8 characters or more. */
export const ISSUE = {
  type: 'string',
  pattern: '^[0-9a-fA-F]{8}[0-9a-fA-F-]{0,28}$',
  description: 'Whole, or its first 8 characters',
} as const;
/** A text with a limit. */
export const text = (maxLength: number, description?: string) => ({
  type: 'string' as const,
  maxLength,
  ...(description !== undefined && { description }),
});
const MAX_TOKENS = {
  type: 'integer',
  minimum: ANSWER_TOKENS.least,
  maximum: ANSWER_TOKENS.most,
  default: ANSWER_TOKENS.byDefault,
} as const;

/** What every tool that reads takes. */
export interface ReadingArguments {
  readonly max_tokens?: number;
}

/** What every tool that lists takes. */
export interface ListingArguments extends ReadingArguments {
  readonly query?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** The members of `ListingArguments`. */
export const LISTING: JsonObject = {
  // The limit of the language.
  query: text(4_096, 'As in the instructions'),
  limit: { type: 'integer', minimum: 1, maximum: MAX_ROWS, default: 20 },
  cursor: text(2_000, 'next_cursor of the previous answer'),
};

/** Arguments of a tool that reads. */
export function readingInput<Arguments>(properties: JsonObject, required: string[] = []) {
  return input<Arguments>({ ...properties, max_tokens: MAX_TOKENS }, required);
}

/** Arguments of a tool or a prompt. Their check reports the first ten mistakes. */
export function input<Arguments>(
  properties: JsonObject,
  required: string[],
): StandardSchemaWithJSON<Arguments, Arguments> {
  const schema = schemaOf<Arguments>({
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  });
  const known = Object.keys(properties);
  const { validate } = schema['~standard'];
  return {
    '~standard': {
      ...schema['~standard'],
      validate: async (data) => {
        const result = await validate(data);
        if (result.issues === undefined) return result;
        return { issues: firstMistakes(data, known, result.issues).map((message) => ({ message })) };
      },
    },
  };
}

const MAX_MISTAKES = 10;
const MAX_NAME = 100;
/** The check does not say which property. */
const UNKNOWN = 'must NOT have additional properties';

/** Returns the first mistakes, unknown arguments by name, and how many more there are. */
function firstMistakes(
  data: unknown,
  known: readonly string[],
  issues: readonly { readonly message: string }[],
): readonly string[] {
  const names = isJsonObject(data) ? Object.keys(data).filter((name) => !known.includes(name)) : [];
  const unknown = names
    .slice(0, MAX_MISTAKES)
    .map((name) => `no argument ${quoted(name)}: ${nameHint(cutText(name, MAX_NAME), known)}`);
  // The library joins what it found.
  const others = issues.flatMap(({ message }) => message.split(', ')).filter((one) => !one.endsWith(UNKNOWN));
  const shown = [...unknown, ...others].slice(0, MAX_MISTAKES);
  const rest = names.length + others.length - shown.length;
  return rest === 0 ? shown : [...shown, `and ${rest} more`];
}

/** The compilation of all checks would take a third of the start, so each is compiled when it is first used. */
function schemaOf<Value>(schema: JsonObject): StandardSchemaWithJSON<Value, Value> {
  let compiled: StandardSchemaWithJSON<Value, Value> | undefined;
  return {
    '~standard': {
      version: 1,
      vendor: 'faultline',
      jsonSchema: { input: () => schema, output: () => schema },
      validate: (data) => {
        compiled ??= fromJsonSchema<Value>(schema);
        return compiled['~standard'].validate(data);
      },
    },
  };
}

/** The structured content of a tool: its facts, the texts of events in their fences, what was left out in numbers. */
export function output(properties: JsonObject) {
  return outputOf({ ...properties, left_out: { type: 'object' }, event_text: { type: 'string' } });
}

/** The structured content of a tool without texts of events. */
export function outputOf(properties: JsonObject) {
  return schemaOf<JsonObject>({ type: 'object', properties, required: Object.keys(properties) });
}

/** Members of a definition of the reading API: their types alone, because a client pays for every word. */
export function members(definition: string, ...names: string[]): JsonObject {
  const { properties } = OPENAPI_SCHEMAS[definition] as JsonObject;
  return Object.fromEntries(names.map((name) => [name, bare(ownValue(properties, name))]));
}

/** Rows of a list. */
export function rows(properties: JsonObject): JsonObject {
  return { type: 'array', items: { type: 'object', properties, required: Object.keys(properties) } };
}

function bare(schema: JsonValue | undefined): JsonObject {
  const reference = ownValue(schema, '$ref');
  const resolved = typeof reference === 'string' ? OPENAPI_SCHEMAS[reference.split('/').at(-1) ?? ''] : schema;
  const members = ['type', 'enum'].flatMap((key) => {
    const value = ownValue(resolved, key);
    return value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(members);
}
