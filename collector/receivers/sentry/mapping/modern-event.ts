import { hasMembers, isJsonObject, type JsonObject, type JsonValue } from '../../../../core/event/json.js';
import { readSentJson } from '../../../../core/event/sent-json.js';
import { asObject, asText, asValues, at, scalarOf } from './map-values.js';
import { hasFrames } from './sentry-frames.js';

/**
 * Returns an event in its documented form, which the rest of the mapping reads (https://develop.sentry.dev/sdk/event-payloads/): old names
 * become new ones, and values of another shape become what they say. Frames that are text stay a text. Shares all else with `sent`.
 */
export function modernEvent(sent: JsonObject): JsonObject {
  const decode = createDecoder();
  const event = withMended(withModernNames(sent), EVENT_MEMBERS, decode);
  return withStackOfException(withCallStack(withChecksum(event), decode));
}

/** Before protocol 4 an interface had the path of its class: `sentry.interfaces.Http`, later also `sentry.interfaces.http.Http`. */
export const LEGACY_PREFIX = 'sentry.interfaces.';
/** Interfaces whose modern name is their class in lower case. */
const SAME_NAMES =
  `applecrashreport breadcrumbs contexts csp debug_meta device exception logentry query request sdk stacktrace template
  threads user`.split(/\s+/);
/** By the class in lower case, or the modern name. */
const MODERN_NAMES: ReadonlyMap<string, string> = new Map([
  ...SAME_NAMES.map((name): [string, string] => [name, name]),
  ['debugmeta', 'debug_meta'],
  ['http', 'request'],
  ['message', 'logentry'],
]);

/** Renames the interfaces of an event or an exception, also those in a member `interfaces`. */
function withModernNames(sent: JsonObject): JsonObject {
  const grouped = asObject(at(sent, 'interfaces'));
  const legacy = interfacesIn(sent, (name) => name.startsWith(LEGACY_PREFIX));
  const inGroup = interfacesIn(grouped, () => true);
  if (legacy.size + inGroup.size === 0) return sent;
  const event = { ...sent };
  for (const [modern, name] of legacy) moveInterface(event, name, event, modern);
  if (inGroup.size === 0) return event;
  const rest = { ...grouped };
  for (const [modern, name] of inGroup) moveInterface(rest, name, event, modern);
  if (hasMembers(rest)) event['interfaces'] = rest;
  else delete event['interfaces'];
  return event;
}

/** Returns the first name of each interface by its modern name. Clients send each once; to join any number of them would block. */
function interfacesIn(holder: JsonObject, isInterface: (name: string) => boolean): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const name of Object.keys(holder)) {
    if (!isInterface(name) || (holder[name] ?? null) === null) continue;
    const modern = MODERN_NAMES.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase());
    if (modern !== undefined && !names.has(modern)) names.set(modern, name);
  }
  return names;
}

/** Leaves an interface where it is if it is no object and the event has one of the new name. */
function moveInterface(from: JsonObject, name: string, event: JsonObject, modern: string): void {
  const value = from[name] ?? null;
  const present = event[modern] ?? null;
  if (present === null) event[modern] = value;
  else if (isJsonObject(present) && isJsonObject(value)) event[modern] = { ...value, ...present };
  else return;
  delete from[name];
}

/** Returns the list or object of a part that was encoded twice. */
type Decode = (sent: JsonValue) => JsonValue;
type Mend = (value: JsonValue, decode: Decode) => JsonValue;
type Mends = readonly (readonly [member: string, mend: Mend])[];

const FRAME_MEMBERS: Mends = [
  ['function', textOf],
  ['raw_function', textOf],
  ['module', textOf],
  ['filename', textOf],
  ['abs_path', textOf],
  ['package', textOf],
  ['lineno', numberOf],
  ['colno', numberOf],
  ['in_app', flagOf],
];
const STACK_MEMBERS: Mends = [
  ['stacktrace', documentedStack],
  ['raw_stacktrace', documentedStack],
];
const EXCEPTION_MEMBERS: Mends = [['type', textOf], ['value', textOf], ...STACK_MEMBERS];
const THREAD_MEMBERS: Mends = [['crashed', flagOf], ['current', flagOf], ...STACK_MEMBERS];
const LOG_ENTRY_MEMBERS: Mends = [
  ['message', filledTextOf],
  ['formatted', filledTextOf],
  ['params', (value) => listIn(value) ?? value],
];
const USER_MEMBERS: Mends = mendsOf('id username email ip_address', scalarOf);
const REQUEST_MEMBERS: Mends = mendsOf('url method', scalarOf);
const EVENT_MEMBERS: Mends = [
  ...mendsOf('level environment release dist platform logger transaction server_name timestamp checksum', scalarOf),
  ['exception', documentedExceptions],
  [
    'threads',
    (value, decode) => withMendedItems(value, (thread) => mendedObject(thread, THREAD_MEMBERS, decode), decode),
  ],
  ['breadcrumbs', (value, decode) => withMendedItems(value, (breadcrumb) => breadcrumb, decode)],
  ['message', messageOf],
  ['logentry', messageOf],
  ['fingerprint', fingerprintOf],
  ['user', (value, decode) => mendedObject(holderOf(value, 'id'), USER_MEMBERS, decode)],
  ['request', (value, decode) => mendedObject(holderOf(value, 'url'), REQUEST_MEMBERS, decode)],
  ...STACK_MEMBERS,
];

function mendsOf(members: string, mend: Mend): Mends {
  return members.split(' ').map((member) => [member, mend]);
}

function withMended(object: JsonObject, mends: Mends, decode: Decode): JsonObject {
  let copy: JsonObject | undefined;
  for (const [member, mend] of mends) {
    const value = object[member] ?? null;
    if (value === null) continue;
    const mended = mend(value, decode);
    if (mended === value) continue;
    copy ??= { ...object };
    copy[member] = mended;
  }
  return copy ?? object;
}

function mendedObject(value: JsonValue, mends: Mends, decode: Decode): JsonValue {
  return isJsonObject(value) ? withMended(value, mends, decode) : value;
}

/** Returns the list itself if no item changes. Mends the last item first, which is the main exception and the innermost frame. */
function mendedList(list: JsonValue[], mend: (item: JsonValue) => JsonValue): JsonValue[] {
  const mended = [...list];
  let isChanged = false;
  for (let index = list.length - 1; index >= 0; index--) {
    const item = list[index] ?? null;
    mended[index] = mend(item);
    isChanged ||= mended[index] !== item;
  }
  return isChanged ? mended : list;
}

/** Mends the items of a list, which SDKs send bare, under `values`, or as a single object. */
function withMendedItems(sent: JsonValue, mend: (item: JsonValue) => JsonValue, decode: Decode): JsonValue {
  const items = (value: JsonValue) => {
    const list = itemsIn(value);
    return list === undefined ? value : mendedList(list, mend);
  };
  return isJsonObject(sent) && Object.hasOwn(sent, 'values')
    ? withMended(sent, [['values', items]], decode)
    : items(sent);
}

/** Returns all exceptions under `values`. */
function documentedExceptions(sent: JsonValue, decode: Decode): JsonValue {
  const value = decode(sent);
  const holder = isJsonObject(value) && Object.hasOwn(value, 'values') ? value : undefined;
  const values = decode(holder === undefined ? value : (holder['values'] ?? []));
  const list = unwrapped(listIn(values) ?? [values]);
  const exceptions = list.some(isJsonObject)
    ? mendedList(list, (exception) => documentedException(exception, decode))
    : mendedList(list, thrownValueOf);
  return exceptions === holder?.['values'] ? value : { ...holder, values: exceptions };
}

function documentedException(sent: JsonValue, decode: Decode): JsonValue {
  return isJsonObject(sent) ? withMended(withModernNames(sent), EXCEPTION_MEMBERS, decode) : sent;
}

/** Null, a boolean and a blank text say nothing. */
function thrownValueOf(sent: JsonValue): JsonValue {
  const text = typeof sent === 'boolean' ? undefined : asText(textOf(sent));
  return sent === null || text === undefined ? sent : { value: text };
}

/** Returns a stack trace as `{ frames }`. */
function documentedStack(sent: JsonValue, decode: Decode): JsonValue {
  const value = decode(sent);
  if (typeof value === 'string' || listIn(value) !== undefined) return { frames: documentedFrames(value, decode) };
  return isJsonObject(value) ? withMended(value, [['frames', documentedFrames]], decode) : sent;
}

/** Returns a list of objects; frames that are lines of a text as one text. */
function documentedFrames(sent: JsonValue, decode: Decode): JsonValue {
  const value = decode(sent);
  const items = itemsIn(value);
  if (items === undefined) return sent;
  const list = unwrapped(items);
  if (isJavaHeader(list[0])) return javaStackOf(list);
  const lines = list.filter((frame) => typeof frame === 'string');
  if (lines.length > 0 && !list.some(isJsonObject)) return lines.map((line) => line.replace(/\n$/, '')).join('\n');
  return mendedList(list, (frame) => mendedObject(frame, FRAME_MEMBERS, decode));
}

/** Java clients up to protocol 3 send the innermost frame first, and before the frames of each exception one that only names it. */
const JAVA_HEADER = /^Caused by: ([\w.$]{1,500})(?: \("(.*)"\))?$/s;

function isJavaHeader(frame: JsonValue | undefined): boolean {
  const name = at(frame, 'filename');
  return typeof name === 'string' && at(frame, 'function') === undefined && JAVA_HEADER.test(name);
}

/** Returns the stack as Java prints it. */
function javaStackOf(frames: readonly JsonValue[]): string {
  const lines = frames.filter(isJsonObject).map((frame) => {
    const file = asText(frame['filename']) ?? 'Unknown Source';
    if (isJavaHeader(frame)) {
      const [, type, message] = JAVA_HEADER.exec(file) ?? [];
      return `Caused by: ${type}${message === undefined ? '' : `: ${message}`}`;
    }
    const line = Number(frame['lineno']) > 0 ? `:${frame['lineno']}` : '';
    return `\tat ${asText(frame['module']) ?? file}.${asText(frame['function']) ?? '<unknown>'}(${file}${line})`;
  });
  return lines.join('\n').replace('Caused by: ', '');
}

/** Returns a text or a log entry with texts. */
function messageOf(sent: JsonValue, decode: Decode): JsonValue {
  if (!isJsonObject(sent)) return filledTextOf(sent);
  const isEntry = LOG_ENTRY_MEMBERS.some(([member]) => Object.hasOwn(sent, member));
  return isEntry ? withMended(sent, LOG_ENTRY_MEMBERS, decode) : filledTextOf(sent);
}

function fingerprintOf(sent: JsonValue, decode: Decode): JsonValue {
  const value = decode(sent);
  const list = listIn(value);
  if (list === undefined) return asText(value) === undefined ? sent : [String(value)];
  // Sentry converts numbers in a fingerprint to text.
  return mendedList(list, (entry) => (typeof entry === 'object' ? entry : String(entry)));
}

/** Returns a text or number as the member that it stands for. */
function holderOf(sent: JsonValue, member: string): JsonValue {
  return typeof sent === 'string' || typeof sent === 'number' ? { [member]: sent } : sent;
}

/** UTF-16 units of the JSON in all texts of an event that are parsed; further ones stay texts, because parsing them blocks. */
const MAX_ENCODED = 131_072;

/** Creates the decoder for the parts of one event. */
function createDecoder(): Decode {
  let left = MAX_ENCODED;
  return (sent) => {
    if (typeof sent !== 'string' || sent.length > left || !/^\s*[[{]/.test(sent)) return sent;
    left -= sent.length;
    return readSentJson(sent) ?? sent;
  };
}

const INDEX = /^\d{1,9}$/;

/** Returns a list, also one that its encoder took for an object with numbered keys, as PHP does; undefined for other values. */
function listIn(value: JsonValue): JsonValue[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isJsonObject(value)) return undefined;
  const indexes = Object.keys(value);
  if (indexes.length === 0 || !indexes.every((index) => INDEX.test(index))) return undefined;
  return indexes.sort((one, other) => Number(one) - Number(other)).map((index) => value[index] ?? null);
}

/** Returns a list, or a single object as one; an empty object has no items. */
function itemsIn(value: JsonValue): JsonValue[] | undefined {
  return listIn(value) ?? (isJsonObject(value) && hasMembers(value) ? [value] : undefined);
}

/** Returns the list that is the only item of another one. */
function unwrapped(list: JsonValue[]): JsonValue[] {
  const [item] = list;
  return list.length === 1 && Array.isArray(item) ? item : list;
}

/** Members that are masked by their name, which a text no longer has. */
const CREDENTIALS = /^(?:(?:proxy-)?authorization|(?:set-)?cookies?)$/i;

/** Returns the JSON of a value that is no text; the value itself if it is nested too deep for that. */
function textOf(sent: JsonValue): JsonValue {
  const value = scalarOf(sent);
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value, (name, member) => (CREDENTIALS.test(name) ? '[redacted]' : member));
  } catch {
    return value;
  }
}

/** An empty list or object says nothing. */
function filledTextOf(value: JsonValue): JsonValue {
  return typeof value === 'object' && value !== null && !hasMembers(value) ? value : textOf(value);
}

function numberOf(sent: JsonValue): JsonValue {
  const value = scalarOf(sent);
  return typeof value === 'string' && INDEX.test(value) ? Number(value) : value;
}

const TRUE = /^(?:true|1)$/i;
const FALSE = /^(?:false|0)$/i;

function flagOf(sent: JsonValue): JsonValue {
  const value = scalarOf(sent);
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  const text = String(value);
  if (TRUE.test(text)) return true;
  return FALSE.test(text) ? false : value;
}

/** Of old clients, the hash by which Sentry groups. */
function withChecksum(event: JsonObject): JsonObject {
  const checksum = asText(at(event, 'checksum'));
  const sent = event['fingerprint'] ?? [];
  const isFree = Array.isArray(sent) && sent.length === 0;
  return checksum !== undefined && isFree ? { ...event, fingerprint: [checksum] } : event;
}

/** The first client of Objective-C sends the stack as lines in `extra`. */
function withCallStack(event: JsonObject, decode: Decode): JsonObject {
  const lines = at(event, 'platform') === 'objc' ? at(at(event, 'extra'), 'CallStack') : undefined;
  if (!Array.isArray(lines) || Object.hasOwn(event, 'stacktrace')) return event;
  return { ...event, stacktrace: documentedStack(lines, decode) };
}

/** Old clients send the stack beside its exception: the only one without frames, or the main one if none has frames. */
function withStackOfException(event: JsonObject): JsonObject {
  const exception = at(event, 'exception');
  if (!isJsonObject(exception) || !Object.hasOwn(event, 'stacktrace') || !hasFrames(event)) return event;
  const values = asValues(exception);
  const isBare = (value: JsonValue) => isJsonObject(value) && !hasFrames(value);
  const bare = values.filter(isBare);
  const owner = values.findLastIndex(isBare);
  if (owner < 0 || (bare.length > 1 && values.some((value) => hasFrames(value)))) return event;
  const { stacktrace = null, ...rest } = event;
  const owned = values.map((value, index) =>
    index === owner && isJsonObject(value) ? { ...value, stacktrace } : value,
  );
  return { ...rest, exception: { ...exception, values: owned } };
}
