import type { JsonObject, JsonValue } from '../../../core/event/json.js';

/** Attributes by key, in the order in which they are written. */
export type Attributes = ReadonlyMap<string, JsonValue>;

/** Who made a record; records of the same one travel together. */
export interface RecordResource {
  readonly attributes: Attributes;
  readonly schemaUrl: string;
}

/** The library that made a record. */
export interface RecordScope {
  readonly name: string;
  readonly version: string;
  readonly attributes: Attributes;
  readonly schemaUrl: string;
}

/** One event as a log record of OpenTelemetry. What is absent is 0n, 0, null or empty. */
export interface LogRecord {
  readonly resource: RecordResource;
  readonly scope: RecordScope;
  readonly timeUnixNano: bigint;
  readonly observedTimeUnixNano: bigint;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly body: JsonValue;
  readonly attributes: Attributes;
  readonly flags: number;
  /** 32 and 16 lowercase hexadecimal characters. */
  readonly traceId: string;
  readonly spanId: string;
  readonly eventName: string;
}

/** Records of one resource and scope. */
export interface RecordGroup {
  readonly resource: RecordResource;
  readonly scopes: readonly { readonly scope: RecordScope; readonly records: readonly LogRecord[] }[];
}

/** A member that is an object; an empty one where there is none. */
export function objectIn(value: JsonObject | null | undefined, key: string): JsonObject {
  const member = value !== null && value !== undefined && Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof member === 'object' && member !== null && !Array.isArray(member) ? member : {};
}

/** A member that is a text; the empty one where there is none. */
export function textIn(value: JsonObject, key: string): string {
  const member = Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof member === 'string' ? member : '';
}
