import { mapSentryEvent } from '../../../../collector/receivers/sentry/mapping/map-event.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/event/json.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import { serverPayload } from '../../../helpers/payloads.js';

/** An exception as an SDK collects it, before it is in the form of an event. */
export interface Collected {
  readonly type: string;
  readonly value: string;
  /** The innermost first. */
  readonly frames: JsonObject[];
  /** How the exception came to this one: `cause`, `__context__`, `suppressed`, `errors[0]`. */
  readonly source?: string;
  /** Causes, suppressed exceptions and members of a group. */
  readonly behind: Collected[];
  readonly isGroup?: boolean;
}

/** Makes the event that an SDK of this platform sends: causes before the main exception, callers before the calls. */
export function sentEvent(platform: string, main: Collected): JsonObject {
  const values: JsonObject[] = [];
  let nextId = 0;
  const add = (one: Collected, parent: number | null): void => {
    const id = nextId++;
    const mechanism: JsonObject = { type: 'generic', handled: false, exception_id: id };
    if (parent !== null) {
      mechanism['type'] = one.source === 'suppressed' ? 'suppressed' : 'chained';
      mechanism['parent_id'] = parent;
      if (one.source !== undefined) mechanism['source'] = one.source;
    }
    if (one.isGroup) mechanism['is_exception_group'] = true;
    const value: JsonObject = { type: one.type, value: one.value, mechanism };
    if (one.frames.length > 0) value['stacktrace'] = { frames: one.frames.toReversed() };
    values.unshift(value);
    for (const next of one.behind) add(next, id);
  };
  add(main, null);
  return { event_id: 'f'.repeat(32), platform, level: 'error', exception: { values } };
}

/** The payload that the receiver makes of an event. */
export function receivedPayload(event: JsonObject): RawPayload {
  const project = { id: '1', app: 'shop', service: 'api', env: 'production' };
  const mapped = mapSentryEvent(event, { project, origin: 'local', envelope: {}, receivedMs: 0 });
  const payload = serverPayload();
  for (const key of ['error_name', 'message', 'stack', 'extra'] as const) {
    Object.assign(payload, { [key]: mapped[key] });
  }
  return payload;
}

/** The exceptions that the receiver chose, the main one first. */
export function chosenChain(payload: RawPayload): { type: JsonValue; message: JsonValue; frames: JsonValue[] }[] {
  const sentry = payload.extra?.['sentry'];
  if (!isJsonObject(sentry)) return [];
  const { exception, mapping } = sentry;
  if (!isJsonObject(exception) || !isJsonObject(mapping)) return [];
  const { values } = exception;
  const { exceptions } = mapping;
  if (!Array.isArray(values) || !Array.isArray(exceptions)) return [];
  return exceptions.flatMap((index) => {
    const value = values[Number(index)];
    if (!isJsonObject(value)) return [];
    const stacktrace = value['stacktrace'];
    const frames = isJsonObject(stacktrace) && Array.isArray(stacktrace['frames']) ? stacktrace['frames'] : [];
    return [{ type: value['type'] ?? null, message: value['value'] ?? null, frames }];
  });
}

/** A frame without the members that are undefined. */
export function frame(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(members)) if (value !== undefined) kept[key] = value;
  return kept;
}

/** The number in a part of a match; undefined without it. */
export function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

/** Splits `Type: message`. */
export function headOf(line: string): Pick<Collected, 'type' | 'value'> {
  const [, type = '', value = ''] = /^([^:\s]+)(?:: ([\s\S]*))?$/.exec(line) ?? [];
  return { type, value };
}
