import {
  filledText,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownValue,
  parseJson,
} from '../../core/event/json.js';
import type { RawPayload } from '../../core/event/raw-payload.js';
import { detectParser } from '../../core/fingerprint/stack/parsers/stack-parsers.js';
import { findLeadingName } from './exception-header.js';

type ErrorFields = Pick<RawPayload, 'error_name' | 'message' | 'stack'>;

/** Objects of a text that are read. */
const MAX_OBJECTS = 8;
const OBJECT_START = /\{\s{0,8}"/g;
const MAY_BE_ERROR = /"stack"|"name"/;
const NAME_OF_ERROR = /(?:Error|Exception)$/;

/** Reads the error that a text holds as JSON, as loggers write `{"message":…,"name":…,"stack":…}`; undefined without one. */
export function serializedErrorIn(text: string): ErrorFields | undefined {
  if (!MAY_BE_ERROR.test(text)) return undefined;
  let left = MAX_OBJECTS;
  for (const { index } of text.matchAll(OBJECT_START)) {
    if (left-- === 0) return undefined;
    const error = errorOfValue(parseJson(objectAt(text, index)));
    if (error !== undefined) return error;
  }
  return undefined;
}

/** Reads an object with the members of an error: a stack, or a name that ends like one of an error and a message. */
export function errorOfValue(value: JsonValue | undefined): ErrorFields | undefined {
  if (!isJsonObject(value)) return undefined;
  const stack = stackOf(value);
  const firstLine = stack?.split('\n', 1)[0] ?? '';
  const header = findLeadingName(firstLine);
  const name = filledText(ownValue(value, 'name')) ?? filledText(ownValue(value, 'type')) ?? header?.name;
  const message = filledText(ownValue(value, 'message')) ?? (header && firstLine.slice(header.messageAt));
  if (stack === null && (message === undefined || !NAME_OF_ERROR.test(name ?? ''))) return undefined;
  if (name === undefined && message === undefined) return undefined;
  return { error_name: name ?? '', message: message ?? '', stack };
}

/** Other members of this name hold something else, for example an infrastructure. */
function stackOf(error: JsonObject): string | null {
  const stack = filledText(ownValue(error, 'stack'));
  return stack !== undefined && detectParser(stack) !== null ? stack : null;
}

/** Returns the text of the object that begins here; the rest of the text if it is not complete. */
function objectAt(text: string, from: number): string {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"') at = endOfString(text, at);
    else if (char === '{') depth++;
    else if (char === '}' && --depth === 0) return text.slice(from, at + 1);
  }
  return text.slice(from);
}

/** Position of the quote that ends a string. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1;
  return at;
}
