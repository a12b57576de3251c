import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/event/json.js';
import { asObject, asText, asValues, at } from './map-values.js';

/** Groups within groups that are looked into. */
const MAX_GROUPS = 16;

/** Frames of a stack trace, the innermost first; SDKs send it last (item 47). */
export function framesOf(holder: JsonValue | undefined): readonly JsonObject[] {
  return sentFrames(holder)
    .filter((frame) => isJsonObject(frame))
    .reverse();
}

/** Whether a stack trace has any frame. */
function hasFrames(holder: JsonValue | undefined): boolean {
  return sentFrames(holder).some((frame) => isJsonObject(frame));
}

function sentFrames(holder: JsonValue | undefined): readonly JsonValue[] {
  const stacktrace = at(holder, 'stacktrace') ?? at(holder, 'raw_stacktrace');
  const frames = at(stacktrace, 'frames') ?? stacktrace;
  return Array.isArray(frames) ? frames : [];
}

/** Which of an event's exceptions and threads tell the failure, as places in their lists. */
export interface SentryChain {
  /** The main exception, then what came before it: the order of a printed stack. Empty for an event that is no exception. */
  readonly printed: readonly number[];
  /** The main exception and its causes, the root last. The members of a group caused it together, so that a group is a root. */
  readonly causes: readonly number[];
  /** Place of the thread whose frames stand for the exception's; null when it has frames itself, or no thread decides. */
  readonly thread: number | null;
}

/** Finds the main exception of an event, the chain behind it, and the thread that shows where it happened. */
export function chainOf(event: JsonObject): SentryChain {
  const values = asValues(at(event, 'exception'));
  const main = mainException(values);
  const thread = main !== undefined && hasFrames(values[main]) ? null : decidingThread(event);
  if (main === undefined) return { printed: [], causes: [], thread };
  const printed = [main, ...descendants(values, main)];
  const group = printed.findIndex((place) => isGroup(values[place]));
  return { printed, causes: group < 0 ? printed : printed.slice(0, group + 1), thread };
}

/** True for an exception that only carries the stack of a message: synthetic and without a type (item 49). */
export function isMessageOnly(exception: JsonValue | undefined): boolean {
  const type = asText(at(exception, 'type'));
  return type === undefined && at(at(exception, 'mechanism'), 'synthetic') === true;
}

/** The last exception (item 45); of a group whose members are all alike, such a member. */
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
  for (let place = group - 1; place >= 0; place--) {
    if (mechanismNumber(values[place], 'parent_id') !== id) continue;
    kinds.add(kindOf(values[place]));
    if (kinds.size > 1) return undefined;
    member ??= place;
  }
  return member;
}

/** Type and stack of an exception: what tells the members of a group from each other. */
function kindOf(exception: JsonValue | undefined): string {
  const frames = framesOf(exception).map((frame) =>
    ['module', 'filename', 'function', 'lineno'].map((key) => asText(at(frame, key)) ?? null),
  );
  return JSON.stringify([asText(at(exception, 'type')) ?? null, frames]);
}

/** Places of the exceptions behind the main one, from the last to the first; those of another branch are left out. */
function descendants(values: readonly JsonValue[], main: number): number[] {
  if (main === 0) return [];
  const root = mechanismNumber(values[main], 'exception_id');
  const ids = new Set([root]);
  const places: number[] = [];
  for (let place = main - 1; place >= 0; place--) {
    if (!isJsonObject(values[place])) continue;
    const parent = mechanismNumber(values[place], 'parent_id');
    if (root !== undefined && parent !== undefined && !ids.has(parent)) continue;
    places.push(place);
    const id = mechanismNumber(values[place], 'exception_id');
    if (id !== undefined) ids.add(id);
  }
  return places;
}

/** The thread that crashed, else the current one, else the only one. */
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
