import { createHash } from 'node:crypto';
import type { ReceivedEvent } from '../../../core/contract/stages.js';
import { isJsonObject, type JsonObject, type JsonValue, ownValue, setOwnProperty } from '../../../core/event/json.js';
import { jsonPieces } from '../../../core/event/json-pieces.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { textPieces } from '../../../core/event/text.js';
import type { AttributeActionSettings, AttributesProcessorSettings } from '../../../generated/settings.js';
import type { PlainProcessor, ProcessorFactory } from '../../component/built-in.js';
import { eachEvent } from '../event-processor/event-processor.js';
import { checkedRe2, type Re2Pattern } from '../event-processor/re2-pattern.js';
import { copyMembers, jsonBeginning, jsonInSteps, runNowOrInSlices, type Steps } from '../event-processor/steps.js';
import { type AttributePath, parseAttributePath } from './attribute-path.js';

/** Changes a payload; returns the same object if nothing changed. Pauses for large values. */
type AttributeAction = (payload: RawPayload) => Steps<RawPayload>;

/** Units of a text that `extract` searches without a pause; a pattern may take 0.4 µs per unit. */
const MAX_SEARCHED = 32 * 1024;

/** Longer texts are searched after a pause. */
const SMALL_UNITS = 4 * 1024;

/** Processor `attributes`: changes fields, tags and extra of events. */
export const attributesProcessor: ProcessorFactory<AttributesProcessorSettings> = {
  stability: 'alpha',
  create: createAttributesProcessor,
};

/** Creates processor `attributes`, which applies its actions in order. Throws RangeError for settings that the check refuses. */
export function createAttributesProcessor(settings: AttributesProcessorSettings): PlainProcessor {
  const actions = settings.actions.map(compileAction);
  return {
    errorMode: settings.error_mode,
    consume: eachEvent((event) => runNowOrInSlices(afterActions(event, actions))),
  };
}

function* afterActions(event: ReceivedEvent, actions: readonly AttributeAction[]): Steps<ReceivedEvent> {
  let { payload } = event;
  for (const act of actions) payload = yield* act(payload);
  return payload === event.payload ? event : { payload };
}

/** Compiles an action. Throws RangeError for settings that the configuration check refuses. */
function compileAction(settings: AttributeActionSettings): AttributeAction {
  const path = pathOf(settings.key);
  switch (settings.action) {
    case 'delete':
      return (payload) => writeAttribute(payload, path, undefined);
    case 'hash':
      return function* (payload) {
        const value = readAttribute(payload, path);
        if (value === undefined || value === '') return payload;
        return yield* writeAttribute(payload, path, yield* hashOf(value));
      };
    case 'extract':
      return extraction(path, settings.pattern ?? '');
    case 'insert':
      return setting(settings, path, (isThere) => !isThere);
    case 'update':
      return setting(settings, path, (isThere) => isThere);
    case 'upsert':
      return setting(settings, path, () => true);
  }
}

function setting(
  { value, from_attribute: from }: AttributeActionSettings,
  path: AttributePath,
  applies: (isThere: boolean) => boolean,
): AttributeAction {
  const source = from === undefined ? undefined : pathOf(from);
  return function* (payload) {
    const before = readAttribute(payload, path);
    // An empty required field counts as missing: `delete` leaves it so.
    const isThere = before !== undefined && !(path.kind === 'field' && before === path.empty);
    if (!applies(isThere)) return payload;
    const next = source === undefined ? value : readAttribute(payload, source);
    return next === undefined || next === before ? payload : yield* writeAttribute(payload, path, next);
  };
}

function* hashOf(value: JsonValue): Steps<string> {
  const hash = createHash('sha256');
  let pieces = 0;
  for (const piece of typeof value === 'object' ? jsonPieces(value) : textPieces(String(value))) {
    if (pieces > 0) yield;
    pieces += 1;
    hash.update(piece);
  }
  return hash.digest('hex');
}

function extraction(path: AttributePath, pattern: string): AttributeAction {
  const compiled = checkedRe2(pattern);
  const groups = Object.keys(compiled.namedGroups());
  return function* (payload) {
    const value = readAttribute(payload, path);
    if (value === undefined) return payload;
    const text = beginningOf(value);
    // The search cannot pause, so it gets a slice of its own.
    if (text.length > SMALL_UNITS) yield;
    return yield* withTags(payload, matchedGroups(compiled, groups, text));
  };
}

/** The text that is searched, and one unit more if it continues. */
function beginningOf(value: JsonValue): string {
  const most = MAX_SEARCHED + 1;
  return typeof value === 'object' ? jsonBeginning(value, most) : String(value).slice(0, most);
}

/** The texts of the named groups in the first match. */
function matchedGroups(pattern: Re2Pattern, groups: readonly string[], text: string): Map<string, string> {
  const matched = new Map<string, string>();
  const matcher = pattern.matcher(text.slice(0, MAX_SEARCHED));
  if (!matcher.find()) return matched;
  // A match that reaches the cut may continue behind it.
  if (text.length > MAX_SEARCHED && matcher.end() === MAX_SEARCHED) return matched;
  for (const name of groups) {
    const group = matcher.group(name);
    if (typeof group === 'string') matched.set(name, group);
  }
  return matched;
}

function* withTags(payload: RawPayload, tags: ReadonlyMap<string, string>): Steps<RawPayload> {
  let result = payload;
  for (const [name, text] of tags) {
    const tag: AttributePath = { kind: 'tag', name };
    if (readAttribute(result, tag) !== text) result = yield* writeAttribute(result, tag, text);
  }
  return result;
}

function pathOf(key: string): AttributePath {
  const path = parseAttributePath(key);
  if ('problem' in path) throw new RangeError(`${JSON.stringify(key)} ${path.problem}`);
  return path;
}

/** The value at a path; undefined if missing or null. An empty string is a value. */
function readAttribute(payload: RawPayload, path: AttributePath): JsonValue | undefined {
  switch (path.kind) {
    case 'tag':
      return ownValue(payload.tags, path.name);
    case 'field':
      return payload[path.field] ?? undefined;
    case 'extra': {
      let value: JsonValue | undefined = payload.extra ?? undefined;
      for (const name of path.names) value = ownValue(value, name);
      return value ?? undefined;
    }
  }
}

/** Sets the value at a path as text, or removes it if undefined, copying only what changes; the same payload if nothing does. */
function* writeAttribute(payload: RawPayload, path: AttributePath, value: JsonValue | undefined): Steps<RawPayload> {
  if (path.kind === 'extra') {
    const extra = yield* withMember(payload.extra ?? {}, path.names, value);
    return extra === undefined ? payload : { ...payload, extra };
  }
  const text = value === undefined ? undefined : yield* textOf(value);
  if (path.kind === 'field') {
    const written = text ?? path.empty;
    return payload[path.field] === written ? payload : { ...payload, [path.field]: written };
  }
  if (text === undefined && !Object.hasOwn(payload.tags, path.name)) return payload;
  const tags = { ...payload.tags };
  if (text === undefined) delete tags[path.name];
  else setOwnProperty(tags, path.name, text);
  return { ...payload, tags };
}

function* textOf(value: JsonValue): Steps<string> {
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? yield* jsonInSteps(value) : String(value);
}

/** A copy with another value at a path, or without it if undefined; undefined if there is nothing to change. */
function* withMember(
  object: JsonObject,
  [name, ...rest]: readonly string[],
  value: JsonValue | undefined,
): Steps<JsonObject | undefined> {
  if (name === undefined || (value === undefined && !Object.hasOwn(object, name))) return undefined;
  let member = value;
  if (rest.length > 0) {
    const inner = ownValue(object, name) ?? {};
    member = isJsonObject(inner) ? yield* withMember(inner, rest, value) : undefined;
    if (member === undefined) return undefined;
  }
  const copy = yield* copyMembers(object, Object.keys(object));
  if (member === undefined) delete copy[name];
  else setOwnProperty(copy, name, member);
  return copy;
}
