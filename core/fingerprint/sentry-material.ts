import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../event/json.js';
import { type StructuredException, type StructuredStack, structuredStack } from './stack/structured-frames.js';

/** What a client's SDK says about the grouping of an event, beyond its text. */
export interface ClientMaterial {
  /** Frames as the client took them apart; null when it sent none. */
  readonly stack: StructuredStack | null;
  /** Whether the client made the type of the deciding exception up (`mechanism.synthetic`). */
  readonly isSynthetic: boolean;
  /** The message before values were put into it. */
  readonly template: JsonValue | undefined;
  /** The client's own fingerprint as it was sent. */
  readonly fingerprint: JsonValue | undefined;
  /** Where the fingerprint lies, for people. */
  readonly fingerprintAt: string;
}

const NOTHING: ClientMaterial = {
  stack: null,
  isSynthetic: false,
  template: undefined,
  fingerprint: undefined,
  fingerprintAt: '',
};
/** Places in a chain that are looked at; nothing that failed has as many causes. */
const MAX_CHAIN = 4_096;

/**
 * Reads what the receiver for Sentry SDKs keeps under `extra.sentry`: `mapping.exceptions` names the main exception and its causes in
 * `exception.values`, `mapping.thread` the thread whose frames stand for the main one's, `mapping.message_template` the template of the message.
 */
export function readClientMaterial(extra: JsonObject | null): ClientMaterial {
  const sentry = ownValue(extra, 'sentry');
  if (!isJsonObject(sentry)) return NOTHING;
  const mapping = ownValue(sentry, 'mapping');
  return {
    stack: stackOf(sentry, mapping),
    isSynthetic: isMadeUp(sentry, mapping),
    template: ownValue(mapping, 'message_template'),
    fingerprint: ownValue(sentry, 'fingerprint'),
    fingerprintAt: 'extra.sentry.fingerprint',
  };
}

/** Of a chain its root decides. */
function isMadeUp(sentry: JsonObject, mapping: JsonValue | undefined): boolean {
  const places = ownValue(mapping, 'exceptions');
  const root = itemAt(
    ownValue(ownValue(sentry, 'exception'), 'values'),
    Array.isArray(places) ? places.at(-1) : undefined,
  );
  return ownValue(ownValue(root, 'mechanism'), 'synthetic') === true;
}

function stackOf(sentry: JsonObject, mapping: JsonValue | undefined): StructuredStack | null {
  const values = ownValue(ownValue(sentry, 'exception'), 'values');
  const thread = itemAt(valuesOf(ownValue(sentry, 'threads')), ownValue(mapping, 'thread'));
  const places = ownValue(mapping, 'exceptions');
  const chain: StructuredException[] = [];
  if (Array.isArray(places)) {
    for (const place of places.slice(0, MAX_CHAIN)) {
      const exception = itemAt(values, place);
      if (exception === undefined) continue;
      const [type, message] = [ownValue(exception, 'type'), ownValue(exception, 'value')];
      chain.push({ type, message, frames: framesOf(exception) });
    }
  }
  const [main, ...causes] = chain;
  if (thread !== undefined) chain.splice(0, 1, { type: main?.type, message: main?.message, frames: framesOf(thread) });
  const hasFrames = chain.some((exception) => exception.frames.length > 0);
  return hasFrames || causes.length > 0 ? structuredStack(chain, ownValue(sentry, 'platform')) : null;
}

function framesOf(holder: JsonValue): readonly JsonValue[] {
  const stacktrace = ownValue(holder, 'stacktrace') ?? ownValue(holder, 'raw_stacktrace');
  const frames = Array.isArray(stacktrace) ? stacktrace : ownValue(stacktrace, 'frames');
  return Array.isArray(frames) ? frames : [];
}

/** Threads come as a list or under `values`. */
function valuesOf(list: JsonValue | undefined): JsonValue | undefined {
  return isJsonObject(list) ? (ownValue(list, 'values') ?? [list]) : list;
}

function itemAt(list: JsonValue | undefined, place: JsonValue | undefined): JsonValue | undefined {
  return Array.isArray(list) && typeof place === 'number' ? list[place] : undefined;
}

const MAX_ENTRIES = 32;
const MAX_ENTRY_LENGTH = 1_024;
const DEFAULT_TOKEN = '{{ default }}';
const DEFAULT_TOKEN_FORMS = /^\{\{\s{0,8}default\s{0,8}\}\}$/;

/** What a client said about the grouping of its event. */
export interface ClientFingerprint {
  /** Null when the client gave none, or one that is not used. */
  readonly entries: string[] | null;
  /** True when the built-in parts count beside the client's entries. */
  readonly includesDefault: boolean;
  readonly reason: string;
}

/**
 * Reads `extra.fingerprint`: a list of strings in which `{{ default }}` stands for the built-in parts. Where it is not used, the fingerprint in the
 * client's material is.
 */
export function readClientFingerprint(
  extra: JsonObject | null,
  material: ClientMaterial | null = null,
): ClientFingerprint {
  const value = extra !== null && Object.hasOwn(extra, 'fingerprint') ? extra['fingerprint'] : undefined;
  const own = readEntries(value, 'extra.fingerprint');
  if (own.entries !== null || material?.fingerprint === undefined) return own;
  return readEntries(material.fingerprint, material.fingerprintAt);
}

function readEntries(value: JsonValue | undefined, at: string): ClientFingerprint {
  if (value === undefined || value === null) return unused('The client named no fingerprint.');
  if (!Array.isArray(value)) return unused(`${at} is not a list of strings.`);
  if (value.length === 0) return unused(`${at} is empty.`);
  if (value.length > MAX_ENTRIES) return unused(`${at} has more than ${MAX_ENTRIES} entries.`);
  const entries: string[] = [];
  for (const entry of value) {
    if (typeof entry !== 'string') return unused(`${at} holds something that is not a string.`);
    if (entry.length > MAX_ENTRY_LENGTH) {
      return unused(`${at} has an entry of more than ${MAX_ENTRY_LENGTH} UTF-16 units.`);
    }
    entries.push(DEFAULT_TOKEN_FORMS.test(entry) ? DEFAULT_TOKEN : entry);
  }
  const includesDefault = entries.includes(DEFAULT_TOKEN);
  if (entries.every((entry) => entry === DEFAULT_TOKEN)) {
    return unused(`${at} asks for the built-in grouping alone.`);
  }
  if (entries.every((entry) => entry.trim() === '')) return unused(`${at} is blank.`);
  return {
    entries,
    includesDefault,
    reason: includesDefault ? 'The client added to the built-in grouping.' : 'The client grouped this event itself.',
  };
}

function unused(reason: string): ClientFingerprint {
  return { entries: null, includesDefault: false, reason };
}
