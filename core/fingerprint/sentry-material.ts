import { hash } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../event/json.js';
import { cutText, plainText } from '../event/text.js';
import { type StructuredException, type StructuredStack, structuredStack } from './stack/structured-frames.js';
import { suppressedIn } from './suppressed-exceptions.js';

/** What a client's SDK sent about the grouping of an event. */
export interface ClientMaterial {
  /** Structured frames; null if the client sent none. */
  readonly stack: StructuredStack | null;
  /** Whether the client made up the type of the deciding exception (`mechanism.synthetic`). */
  readonly isSynthetic: boolean;
  /** The error number or signal of the deciding exception (`mechanism.meta`), as plain text; empty if none was sent. */
  readonly code: string;
  /** The message before values were inserted, as plain text. */
  readonly template: string | undefined;
  /** The client's fingerprint as it was sent. */
  readonly fingerprint: JsonValue | undefined;
}

const NOTHING: ClientMaterial = {
  stack: null,
  isSynthetic: false,
  code: '',
  template: undefined,
  fingerprint: undefined,
};
/** Exceptions of a chain that are read. */
const MAX_CHAIN = 4_096;

/**
 * Parses the template of the message, and `extra.sentry` as the Sentry receiver writes it: `mapping.exceptions` are the indexes of the
 * main exception and its causes in `exception.values`, `mapping.thread` is the thread whose frames replace those of the main one.
 */
export function parseClientMaterial(extra: JsonObject | null): ClientMaterial {
  const sentry = ownValue(extra, 'sentry');
  const mapping = ownValue(sentry, 'mapping');
  const template = templateOf(extra, mapping);
  if (!isJsonObject(sentry)) return { ...NOTHING, template };
  const chain = chainOf(sentry, mapping);
  const root = chain.at(-1)?.exception;
  const mechanism = ownValue(root, 'mechanism');
  return {
    stack: stackOf(sentry, mapping, chain),
    isSynthetic: ownValue(mechanism, 'synthetic') === true,
    code: codeOf(ownValue(root, 'type'), ownValue(mechanism, 'meta')),
    template,
    fingerprint: ownValue(sentry, 'fingerprint'),
  };
}

/** UTF-16 units. */
const MAX_TEMPLATE = 8_192;

/** The first template with text, of `extra` or of what an SDK sent. */
function templateOf(extra: JsonObject | null, mapping: JsonValue | undefined): string | undefined {
  return (
    templateIn(ownValue(extra, 'message_template')) ??
    templateIn(ownValue(extra, 'message.template')) ??
    templateIn(ownValue(mapping, 'message_template'))
  );
}

function templateIn(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  return plainText(cutText(value, MAX_TEMPLATE)) || undefined;
}

/** Types that are a signal or an exception of the operating system. One wild pointer may raise two signals. */
const SIGNAL_TYPE = /^(?:SIG|EXC_)/;
/** UTF-16 units. */
const MAX_CODE = 256;

/** https://develop.sentry.dev/sdk/data-model/event-payloads/exception/#meta-information; addresses and subcodes differ between crashes. */
function codeOf(type: JsonValue | undefined, meta: JsonValue | undefined): string {
  if (meta === undefined) return '';
  const [errno, signal, error] = ['errno', 'signal', 'ns_error'].map((key) => ownValue(meta, key));
  const isSignal = typeof type === 'string' && SIGNAL_TYPE.test(type);
  const codes = [
    [ownValue(error, 'domain'), ownValue(error, 'code')],
    [ownValue(errno, 'name') ?? ownValue(errno, 'number')],
    isSignal ? [] : [ownValue(signal, 'name') ?? ownValue(signal, 'number')],
  ];
  const texts = codes.flat().filter((code) => typeof code === 'string' || typeof code === 'number');
  return plainText(cutText(texts.join(' '), MAX_CODE));
}

/** An exception of the mapping; one that was suppressed only remains if the event has its name, and then without its frames. */
interface Mapped {
  readonly exception: JsonValue;
  readonly isSuppressed: boolean;
}

/** The root is last. Receivers before version 4 of the rules mapped suppressed exceptions too. */
function chainOf(sentry: JsonObject, mapping: JsonValue | undefined): readonly Mapped[] {
  const values = ownValue(ownValue(sentry, 'exception'), 'values');
  const indexes = ownValue(mapping, 'exceptions');
  if (!Array.isArray(values) || !Array.isArray(indexes)) return [];
  const suppressed: ReadonlySet<JsonValue> = suppressedIn(values);
  const chain: Mapped[] = [];
  for (const [at, index] of indexes.slice(0, MAX_CHAIN).entries()) {
    const exception = itemAt(values, index);
    const isSuppressed = suppressed.has(index);
    if (exception !== undefined && !(isSuppressed && at > 0)) chain.push({ exception, isSuppressed });
  }
  return chain;
}

function stackOf(
  sentry: JsonObject,
  mapping: JsonValue | undefined,
  mapped: readonly Mapped[],
): StructuredStack | null {
  const thread = itemAt(valuesOf(ownValue(sentry, 'threads')), ownValue(mapping, 'thread'));
  const chain: StructuredException[] = mapped.map(({ exception, isSuppressed }) => ({
    type: ownValue(exception, 'type'),
    message: ownValue(exception, 'value'),
    isGroup: ownValue(ownValue(exception, 'mechanism'), 'is_exception_group') === true,
    frames: isSuppressed ? [] : framesOf(exception),
  }));
  if (thread !== undefined) chain.splice(0, 1, { ...chain[0], frames: framesOf(thread) });
  const hasFrames = chain.some((exception) => exception.frames.length > 0);
  return hasFrames || chain.length > 1 ? structuredStack(chain, ownValue(sentry, 'platform')) : null;
}

function framesOf(holder: JsonValue): readonly JsonValue[] {
  const stacktrace = ownValue(holder, 'stacktrace') ?? ownValue(holder, 'raw_stacktrace');
  const frames = Array.isArray(stacktrace) ? stacktrace : ownValue(stacktrace, 'frames');
  return Array.isArray(frames) ? frames : [];
}

/** Threads are a list or under `values`. */
function valuesOf(list: JsonValue | undefined): JsonValue | undefined {
  return isJsonObject(list) ? (ownValue(list, 'values') ?? [list]) : list;
}

function itemAt(list: JsonValue | undefined, index: JsonValue | undefined): JsonValue | undefined {
  return Array.isArray(list) && typeof index === 'number' ? list[index] : undefined;
}

const MAX_ENTRIES = 32;
/** UTF-16 units; a longer entry is cut and ends in a hash, so that different entries stay different. */
const MAX_ENTRY_LENGTH = 1_024;
const DEFAULT_TOKEN = '{{ default }}';
const DEFAULT_TOKEN_FORMS = /^\s{0,8}\{\{\s{0,8}default\s{0,8}\}\}\s{0,8}$/;

/** The fingerprint that a client sent. */
export interface ClientFingerprint {
  /** With variables in braces; null if it is missing or not used. */
  readonly entries: readonly string[] | null;
  /** Whether the built-in parts count too. */
  readonly includesDefault: boolean;
  /** Also names the entries that are left out or shortened. */
  readonly reason: string;
}

/** Parses `extra.fingerprint`, else what an SDK sent: a list of texts, `{{ default }}` stands for the built-in parts. */
export function parseClientFingerprint(extra: JsonObject | null, sent: JsonValue | undefined): ClientFingerprint {
  const own = parseEntries(ownValue(extra, 'fingerprint'), 'extra.fingerprint');
  return own.entries === null && sent !== undefined ? parseEntries(sent, 'extra.sentry.fingerprint') : own;
}

function parseEntries(value: JsonValue | undefined, at: string): ClientFingerprint {
  if (value === undefined || value === null) return unused('None was sent.');
  if (!Array.isArray(value)) return unused(`${at} is not a list.`);
  if (value.length === 0) return unused(`${at} is empty.`);
  const entries: string[] = [];
  const notes: string[] = [];
  for (const [index, sent] of value.slice(0, MAX_ENTRIES).entries()) {
    const problem = problemOf(sent);
    if (problem === null) entries.push(entryOf(String(sent)));
    else notes.push(`Entry ${index + 1} is left out: it is ${problem}.`);
    if (typeof sent === 'string' && sent.length > MAX_ENTRY_LENGTH) notes.push(`Entry ${index + 1} is shortened.`);
  }
  if (value.length > MAX_ENTRIES) notes.push(`Of ${value.length} entries the first ${MAX_ENTRIES} count.`);
  if (entries.length === 0) return unused([`${at} has no entry that can be used.`, ...notes].join(' '));
  if (entries.every((entry) => entry === DEFAULT_TOKEN)) {
    return unused([`${at} asks for the built-in grouping alone.`, ...notes].join(' '));
  }
  const includesDefault = entries.includes(DEFAULT_TOKEN);
  const why = includesDefault ? 'The client added to the built-in grouping.' : 'The client grouped this event itself.';
  return { entries, includesDefault, reason: [why, ...notes].join(' ') };
}

/** Why an entry cannot be used; null if it can. */
function problemOf(sent: JsonValue): string | null {
  if (typeof sent === 'string') return sent.trim() === '' ? 'blank' : null;
  if (typeof sent === 'number' || typeof sent === 'boolean') return null;
  if (sent === null) return 'null';
  return Array.isArray(sent) ? 'a list' : 'an object';
}

function entryOf(text: string): string {
  if (DEFAULT_TOKEN_FORMS.test(text)) return DEFAULT_TOKEN;
  if (text.length <= MAX_ENTRY_LENGTH) return text;
  return `${cutText(text, MAX_ENTRY_LENGTH)}…${hash('sha256', text).slice(0, 16)}`;
}

function unused(reason: string): ClientFingerprint {
  return { entries: null, includesDefault: false, reason };
}
