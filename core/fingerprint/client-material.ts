import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../event/json.js';
import { type StructuredException, type StructuredStack, structuredStack } from './structured-frames.js';

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
