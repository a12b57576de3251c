import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/event/json.js';
import { asObject, asText, asValues, at } from './map-values.js';

/** Maximum depth of nested exception groups. */
const MAX_GROUPS = 16;

/** Returns the frames of a stack trace, innermost first; SDKs send it last (item 47). */
export function framesOf(holder: JsonValue | undefined): readonly JsonObject[] {
  return sentFrames(holder)
    .filter((frame) => isJsonObject(frame))
    .reverse();
}

function hasFrames(holder: JsonValue | undefined): boolean {
  return sentFrames(holder).some((frame) => isJsonObject(frame));
}

function sentFrames(holder: JsonValue | undefined): readonly JsonValue[] {
  const stacktrace = at(holder, 'stacktrace') ?? at(holder, 'raw_stacktrace');
  const frames = at(stacktrace, 'frames') ?? stacktrace;
  return Array.isArray(frames) ? frames : [];
}

/** Indexes of the exceptions and the thread that describe the failure. */
export interface SentryChain {
  /** The main exception, then those behind it, as in a printed stack. Empty without an exception. */
  readonly printed: readonly number[];
  /** The main exception and its causes, the root last. A group ends the list, because its members caused it together. */
  readonly causes: readonly number[];
  /** The thread whose frames replace the exception's; null if the exception has frames, or no thread decides. */
  readonly thread: number | null;
}

/** Finds the main exception of an event, its chain and its thread. */
export function chainOf(event: JsonObject): SentryChain {
  const values = asValues(at(event, 'exception'));
  const main = mainException(values);
  const thread = main !== undefined && hasFrames(values[main]) ? null : decidingThread(event);
  if (main === undefined) return { printed: [], causes: [], thread };
  const printed = [main, ...descendants(values, main)];
  const group = printed.findIndex((index) => isGroup(values[index]));
  return { printed, causes: group < 0 ? printed : printed.slice(0, group + 1), thread };
}

/** Whether an exception only holds the stack of a message: synthetic and without a type (item 49). */
export function isMessageOnly(exception: JsonValue | undefined): boolean {
  const type = asText(at(exception, 'type'));
  return type === undefined && at(at(exception, 'mechanism'), 'synthetic') === true;
}

/** Returns the last exception (item 45); if it is a group of equal members, one of them. */
function mainException(values: readonly JsonValue[]): number | undefined {
  let main = values.findLastIndex((value) => isJsonObject(value));
  if (main < 0) return undefined;
  // A member may be a group again.
  for (let depth = 0; depth < MAX_GROUPS; depth++) {
    const member = onlyMember(values, main);
    if (member === undefined) break;
    main = member;
  }
  return main;
}

function onlyMember(values: readonly JsonValue[], group: number): number | undefined {
  if (!isGroup(values[group])) return undefined;
  const id = mechanismNumber(values[group], 'exception_id');
  if (id === undefined) return undefined;
  const kinds = new Set<string>();
  let member: number | undefined;
  for (let index = group - 1; index >= 0; index--) {
    if (mechanismNumber(values[index], 'parent_id') !== id) continue;
    kinds.add(kindOf(values[index]));
    if (kinds.size > 1) return undefined;
    member ??= index;
  }
  return member;
}

/** Type and stack of an exception, which distinguish members of a group. */
function kindOf(exception: JsonValue | undefined): string {
  const frames = framesOf(exception).map((frame) =>
    ['module', 'filename', 'function', 'lineno'].map((key) => asText(at(frame, key)) ?? null),
  );
  return JSON.stringify([asText(at(exception, 'type')) ?? null, frames]);
}

/** Returns the indexes of exceptions behind the main one, last first, without other branches. */
function descendants(values: readonly JsonValue[], main: number): number[] {
  if (main === 0) return [];
  const root = mechanismNumber(values[main], 'exception_id');
  const ids = new Set([root]);
  const indexes: number[] = [];
  for (let index = main - 1; index >= 0; index--) {
    if (!isJsonObject(values[index])) continue;
    const parent = mechanismNumber(values[index], 'parent_id');
    if (root !== undefined && parent !== undefined && !ids.has(parent)) continue;
    indexes.push(index);
    const id = mechanismNumber(values[index], 'exception_id');
    if (id !== undefined) ids.add(id);
  }
  return indexes;
}

/** Returns the crashed thread, else the current one, else the only one. */
function decidingThread(event: JsonObject): number | null {
  const threads = asValues(at(event, 'threads'));
  let decides = threads.findIndex((thread) => at(thread, 'crashed') === true);
  if (decides < 0) decides = threads.findIndex((thread) => at(thread, 'current') === true);
  if (decides < 0 && threads.length === 1) decides = 0;
  return decides >= 0 && hasFrames(threads[decides]) ? decides : null;
}

function isGroup(exception: JsonValue | undefined): boolean {
  return at(at(exception, 'mechanism'), 'is_exception_group') === true;
}

function mechanismNumber(exception: JsonValue | undefined, key: string): number | undefined {
  const value = asObject(at(exception, 'mechanism'))[key];
  return typeof value === 'number' ? value : undefined;
}
