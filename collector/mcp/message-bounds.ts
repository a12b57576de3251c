import { isJsonObject } from '../../core/event/json.js';
import { cutText } from '../../core/event/text.js';

/** Depth of a message; calls have three levels. */
const MAX_DEPTH = 20;
/** Members and elements of a message; a merge of 500 issues is the largest call. */
const MAX_MEMBERS = 2_000;
/** UTF-16 units of all names and texts of a message: twice those of the largest call. */
const MAX_UNITS = 100_000;
/** UTF-16 units of a text that an answer repeats, such as the id of a request or the name of a tool. */
const MAX_REPEATED_UNITS = 500;
const VERSION_IN_META = 'io.modelcontextprotocol/protocolVersion';
const INVALID_REQUEST = -32_600;

/** An error of JSON-RPC 2.0, https://www.jsonrpc.org/specification#error_object. */
export interface MessageError {
  readonly jsonrpc: '2.0';
  readonly error: { readonly code: number; readonly message: string };
  /** Null if the message has none that can be repeated. */
  readonly id: string | number | null;
}

/** Creates an error, by default for an invalid request. */
export function messageError(text: string, message: unknown, code = INVALID_REQUEST): MessageError {
  const id = isJsonObject(message) ? message['id'] : undefined;
  const isShort = typeof id === 'number' || (typeof id === 'string' && id.length <= MAX_REPEATED_UNITS);
  return { jsonrpc: '2.0', error: { code, message: text }, id: isShort ? id : null };
}

/** Returns the error for a message, or a batch of messages, that exceeds a bound; undefined if it does not. Call it before anything validates the message. */
export function boundsError(message: unknown): MessageError | undefined {
  const excess = excessOf(message);
  if (excess !== undefined) return messageError(`The message ${excess}.`, message);
  for (const single of Array.isArray(message) ? message : [message]) {
    const tooLong = repeatedTexts(single).find(([, text]) => text.length > MAX_REPEATED_UNITS);
    if (tooLong === undefined) continue;
    const [name] = tooLong;
    return messageError(`"${cutText(name, 80)}" is longer than ${MAX_REPEATED_UNITS} characters.`, single);
  }
  return undefined;
}

function excessOf(message: unknown): string | undefined {
  let members = 0;
  let units = 0;
  for (const size of sizesOf(message)) {
    members += size.members;
    units += size.units;
    if (size.depth > MAX_DEPTH) return `is deeper than ${MAX_DEPTH} levels`;
    if (members > MAX_MEMBERS) return `has more than ${MAX_MEMBERS} members`;
    if (units > MAX_UNITS) return `has more than ${MAX_UNITS} characters`;
  }
  return undefined;
}

interface Size {
  /** 0 for a text. */
  readonly depth: number;
  readonly members: number;
  /** Of the text, or of the names of the members. */
  readonly units: number;
}

/** The size of each text, list and map of a message, without recursion, because a message of 1 MiB may be 500,000 levels deep. */
function* sizesOf(message: unknown): Generator<Size> {
  const waiting = [{ value: message, depth: 1 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, depth } = next;
    if (typeof value === 'string') yield { depth: 0, members: 0, units: value.length };
    if (typeof value !== 'object' || value === null) continue;
    const entries = Object.entries(value);
    yield { depth, members: entries.length, units: entries.reduce((units, [name]) => units + name.length, 0) };
    for (const [, member] of entries) waiting.push({ value: member, depth: depth + 1 });
  }
}

/** The texts of one message that answers may repeat: id, method, names of tools and prompts, addresses, versions. */
function repeatedTexts(message: unknown): [name: string, text: string][] {
  if (!isJsonObject(message)) return [];
  const params = isJsonObject(message['params']) ? message['params'] : {};
  const { ref, _meta: meta } = params;
  const parts = [
    message,
    params,
    isJsonObject(ref) ? ref : {},
    isJsonObject(meta) ? { [VERSION_IN_META]: meta[VERSION_IN_META] } : {},
  ];
  return parts.flatMap((part) =>
    Object.entries(part).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
