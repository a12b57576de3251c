import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/event/json.js';
import { suppressedIn } from '../../../../core/fingerprint/suppressed-exceptions.js';
import { asObject, asText, asValues, at } from './map-values.js';

/** Maximum depth of nested exception groups. */
const MAX_GROUPS = 16;
/** Links of Python: `from` sets the cause, the exception that was being handled is the context. */
const IMPLICIT_SOURCE = /^__(?:cause|context)__$/;
const CONTEXT = '__context__';

/** Returns the frames of a stack trace, innermost first; SDKs send it last. */
export function framesOf(holder: JsonValue | undefined): readonly JsonObject[] {
  const frames = sentFrames(holder);
  return Array.isArray(frames) ? frames.filter(isJsonObject).reverse() : [];
}

/** Returns a stack trace that was sent as a text; undefined without one. */
export function stackTextOf(holder: JsonValue | undefined): string | undefined {
  const frames = sentFrames(holder);
  return typeof frames === 'string' && frames.trim() !== '' ? frames : undefined;
}

/** Whether a stack trace has a frame, as an object or in a text. */
export function hasFrames(holder: JsonValue | undefined): boolean {
  const frames = sentFrames(holder);
  return Array.isArray(frames) ? frames.some(isJsonObject) : stackTextOf(holder) !== undefined;
}

function sentFrames(holder: JsonValue | undefined): JsonValue | undefined {
  return at(at(holder, 'stacktrace') ?? at(holder, 'raw_stacktrace'), 'frames');
}

/** Indexes of the exceptions and the thread that describe the failure. */
export interface SentryChain {
  /** The main exception, then those behind it, as in a printed stack. Empty without an exception. */
  readonly printed: readonly number[];
  /** The main exception and its causes, the root last, up to a group of different members or an exception that was only being handled. */
  readonly causes: readonly number[];
  /** Exceptions of `printed` that were being handled when the one before them was raised, and did not cause it. */
  readonly handled: ReadonlySet<number>;
  /** Exceptions that happened beside the main one: shown last, never part of the failure. */
  readonly suppressed: readonly number[];
  /** The thread whose frames replace the exception's; null if the exception has frames, or no thread decides. */
  readonly thread: number | null;
}

/** Finds the main exception of an event, its chain and its thread. */
export function chainOf(event: JsonObject): SentryChain {
  const sent = asValues(at(event, 'exception'));
  const beside = suppressedIn(sent);
  const values = sent.map((value, index) => (beside.has(index) ? null : value));
  const main = mainException(values);
  const thread = main !== undefined && hasFrames(values[main]) ? null : decidingThread(event, values[main ?? -1]);
  if (main === undefined) return { printed: [], causes: [], handled: new Set(), suppressed: [], thread };
  const printed = [main, ...descendants(values, main)];
  const isPython = at(event, 'platform') === 'python';
  const handled = new Set(
    printed.filter(
      (index, at) => at > 0 && isOnlyHandled(values[index], isPython ? values[printed[at - 1] ?? -1] : null),
    ),
  );
  // As the causes, what a suppressed exception comes from was sent before it.
  const suppressed = [...beside].sort((a, b) => b - a);
  return { printed, causes: causesIn(values, printed, handled), handled, suppressed, thread };
}

/** Whether an exception only holds the stack of a message: synthetic and without a type. */
export function isMessageOnly(exception: JsonValue | undefined): boolean {
  const type = asText(at(exception, 'type'));
  return type === undefined && at(at(exception, 'mechanism'), 'synthetic') === true;
}

/** Returns the last exception: SDKs send causes before it. */
function mainException(values: readonly JsonValue[]): number | undefined {
  const main = values.findLastIndex((value) => isJsonObject(value));
  return main < 0 ? undefined : main;
}

function causesIn(
  values: readonly JsonValue[],
  printed: readonly number[],
  handled: ReadonlySet<number>,
  depth = 0,
): number[] {
  const end = printed.findIndex((index) => handled.has(index) || isGroup(values[index]));
  const group = printed[end];
  if (group === undefined) return [...printed];
  if (handled.has(group)) return printed.slice(0, end);
  const member = depth < MAX_GROUPS ? onlyMember(values, group) : undefined;
  const behind =
    member === undefined ? [] : causesIn(values, [member, ...descendants(values, member)], handled, depth + 1);
  return [...printed.slice(0, end + 1), ...behind];
}

/** Returns one of the members of a group if they are equal. */
function onlyMember(values: readonly JsonValue[], group: number): number | undefined {
  const id = mechanismNumber(values[group], 'exception_id');
  if (id === undefined) return undefined;
  const kinds = new Set<string>();
  let member: number | undefined;
  for (let index = group - 1; index >= 0; index--) {
    // Python gives causes of members the group as their parent.
    if (mechanismNumber(values[index], 'parent_id') !== id || IMPLICIT_SOURCE.test(sourceOf(values[index]))) continue;
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
  return JSON.stringify([asText(at(exception, 'type')) ?? null, stackTextOf(exception) ?? frames]);
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

/** Returns the thread of the main exception, else the crashed one, else the current one, else the only one. */
function decidingThread(event: JsonObject, main: JsonValue | undefined): number | null {
  const threads = asValues(at(event, 'threads'));
  const id = asText(at(main, 'thread_id'));
  let decides = threads.findIndex((thread) => id !== undefined && asText(at(thread, 'id')) === id && hasFrames(thread));
  if (decides < 0) decides = threads.findIndex((thread) => at(thread, 'crashed') === true);
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

function sourceOf(exception: JsonValue | undefined): string {
  return asText(at(at(exception, 'mechanism'), 'source')) ?? '';
}

/** Whether an exception was handled when `raised` (null: no such links) was raised. Python names that only in groups; else its source line decides. */
function isOnlyHandled(exception: JsonValue | undefined, raised: JsonValue | undefined): boolean {
  const source = sourceOf(exception);
  if (source !== '' || raised === null) return source === CONTEXT;
  const frame = framesOf(raised)[0];
  const line = asText(frame?.['context_line']);
  const following = frame?.['post_context'];
  return line !== undefined && !raisesFromCause([line, ...(Array.isArray(following) ? following : [])].join('\n'));
}

/** UTF-16 units of a `raise` statement that are read. */
const MAX_STATEMENT = 4_096;
const RAISE = /\braise\b/;
/** Parts of a statement: a text, a bracket, a continued line, its end, the word `from`. */
const PARTS = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[([{]|[)\]}]|\\\n|[\n;#]|\bfrom\b/g;

/** Whether Python source begins with a line that has `raise … from …`, possibly over several lines. */
function raisesFromCause(source: string): boolean {
  const start = RAISE.exec(source);
  const end = source.indexOf('\n');
  if (start === null || (end >= 0 && start.index > end)) return false;
  let depth = 0;
  for (const [part] of source.slice(start.index, start.index + MAX_STATEMENT).matchAll(PARTS)) {
    if (/^[([{]$/.test(part)) depth++;
    else if (/^[)\]}]$/.test(part)) depth--;
    else if (depth === 0 && part === 'from') return true;
    else if (depth === 0 && /^[\n;#]$/.test(part)) return false;
  }
  return false;
}
