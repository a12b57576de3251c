import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../../../../core/event/json.js';
import { routeOfAddress } from '../../../../core/normalize/route.js';
import { firstFailureIn } from '../../../log-parsing/failure-in-text.js';
import { levelIn, parseObject, requestFieldsOf } from '../../../log-parsing/json-lines.js';
import { LogMembers } from '../../../log-parsing/log-members.js';
import { describeError } from '../../../log-parsing/logged-error.js';
import type { OtlpAttributes, OtlpLogRecord } from '../../../otlp/otlp-records.js';

/** UTF-16 units of the texts of one record that are parsed as JSON: more would block other requests. */
const MAX_JSON = 262_144;
/** Members that hold an error, or what has one, as JSON text where attributes cannot be maps. */
const JSON_TEXTS = ['exception', 'error', 'err', 'context'];
/** Shippers put what a program printed into one of these members of the body. */
const PRINTED = ['log', 'message', 'MESSAGE'];

/** Returns a record as the members of a JSON log line: its attributes, and its body, or the members of the body. */
export function logEntryOf(attributes: OtlpAttributes, body: JsonValue): LogMembers {
  const entry: JsonObject = Object.create(null);
  for (const [key, value] of attributes) entry[key] = value;
  const objectIn = createObjectReader();
  for (const members of membersOf(body, objectIn)) {
    for (const key of Object.keys(members)) entry[key] = members[key] ?? null;
  }
  for (const name of JSON_TEXTS) {
    const object = objectIn(entry[name]);
    if (object !== undefined) entry[name] = object;
  }
  return new LogMembers(entry);
}

/** Returns the members of a body; later ones replace those of the same name. */
function membersOf(body: JsonValue, objectIn: ObjectReader): JsonObject[] {
  if (body === '') return [];
  if (typeof body === 'string') return [objectIn(body) ?? { msg: body }];
  if (Array.isArray(body)) {
    const text = body.filter((line) => typeof line === 'string').join('\n');
    return [...body.filter(isJsonObject), ...membersOf(text, objectIn)];
  }
  if (!isJsonObject(body)) return [];
  const printed = PRINTED.map((name) => objectIn(ownValue(body, name))).find((object) => object !== undefined);
  return printed === undefined ? [body] : [body, printed];
}

/** Parses a text that is a JSON object. */
type ObjectReader = (text: JsonValue | undefined) => JsonObject | undefined;

/** Creates the reader for the texts of one record; it passes over what would exceed `MAX_JSON`. */
function createObjectReader(): ObjectReader {
  let left = MAX_JSON;
  return (text) => {
    if (typeof text !== 'string' || text.length > left) return undefined;
    left -= text.length;
    return parseObject(text);
  };
}

/** Returns what a body that is a map or JSON says of its request, by the keys of a payload. */
export function requestInBody(body: JsonValue): JsonObject {
  const isText = body === null || (typeof body === 'string' && !body.startsWith('{'));
  if (isText) return {};
  const { route, ...fields } = requestFieldsOf(logEntryOf(new Map(), body));
  return route === undefined ? fields : { ...fields, route: routeOfAddress(String(route)) };
}

/** Returns the level of a record without severity as of the same lines in a log file; undefined if those are no failure. */
export function printedLevelOf({ attributes, body }: OtlpLogRecord): string | undefined {
  const entry = logEntryOf(attributes, body);
  const level = levelIn(entry)?.value;
  if (level !== undefined) return String(level);
  const { stackText, logMessage = '' } = describeError(entry);
  const printed = firstFailureIn(String(logMessage))?.value['level'];
  if (printed !== undefined) return String(printed);
  return stackText === null ? undefined : 'error';
}
