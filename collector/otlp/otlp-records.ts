import { Fault } from '../../core/event/fault.js';
import type { JsonValue } from '../../core/event/json.js';
import { tooManyMembers } from '../../core/event/validate/payload-check.js';

/** Nested arrays and key-value lists in one value; deeper values become `TOO_DEEP`. */
export const MAX_VALUE_DEPTH = 64;

/** Replaces a value that is nested too deeply. */
export const TOO_DEEP = `[nested deeper than ${MAX_VALUE_DEPTH} levels]`;

/** Number of map members, array elements and span events decoded in one record, resource or scope. */
export interface MemberCount {
  members: number;
  readonly maxMembers: number;
}

/** Counts one member. Throws Fault `EVENT_TOO_MANY_MEMBERS`. */
export function countMember(count: MemberCount): void {
  if (++count.members > count.maxMembers) throw new Fault('EVENT_TOO_MANY_MEMBERS', tooManyMembers(count.maxMembers));
}

/** Returns a double as JSON: NaN and the infinities as text. */
export function doubleValue(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

/**
 * Attributes by key; the last of equal keys wins. Values are JSON: bytes as base64; integers beyond 2^53, NaN and the infinities as text;
 * empty and invalid values as null; maps as objects without prototype.
 */
export type OtlpAttributes = ReadonlyMap<string, JsonValue>;

/** The sender of records; shared by its records in a request. */
export interface OtlpResource {
  readonly attributes: OtlpAttributes;
  readonly droppedAttributesCount: number;
  readonly schemaUrl: string;
}

/** The instrumentation library of records; shared likewise. */
export interface OtlpScope {
  readonly name: string;
  readonly version: string;
  readonly attributes: OtlpAttributes;
  readonly droppedAttributesCount: number;
  readonly schemaUrl: string;
}

/** A log record of either encoding. Absent fields are 0n, 0 or empty, as in protobuf. */
export interface OtlpLogRecord {
  readonly resource: OtlpResource;
  readonly scope: OtlpScope;
  readonly timeUnixNano: bigint;
  readonly observedTimeUnixNano: bigint;
  /** 0 if absent; unknown numbers are kept. */
  readonly severityNumber: number;
  readonly severityText: string;
  /** Null if absent. */
  readonly body: JsonValue;
  readonly attributes: OtlpAttributes;
  readonly droppedAttributesCount: number;
  /** The low 8 bits. */
  readonly flags: number;
  /** 32 lowercase hexadecimal characters; empty if absent, zero or of another length. */
  readonly traceId: string;
  /** 16 characters; empty likewise. */
  readonly spanId: string;
  readonly eventName: string;
}

/** An event of a span. */
export interface OtlpSpanEvent {
  readonly timeUnixNano: bigint;
  readonly name: string;
  readonly attributes: OtlpAttributes;
  readonly droppedAttributesCount: number;
}

/** A span without its links. */
export interface OtlpSpan {
  readonly resource: OtlpResource;
  readonly scope: OtlpScope;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  /** 2 is SERVER, 5 is CONSUMER. */
  readonly kind: number;
  readonly startTimeUnixNano: bigint;
  readonly endTimeUnixNano: bigint;
  readonly attributes: OtlpAttributes;
  readonly droppedAttributesCount: number;
  readonly events: readonly OtlpSpanEvent[];
  readonly status: { readonly code: number; readonly message: string };
  /** The low 8 bits. */
  readonly flags: number;
}

/** An invalid record of a valid request. */
export interface OtlpBadRecord {
  readonly code: string;
  /** One sentence that names the field. */
  readonly reason: string;
  /** The received bytes or JSON text; bounded by the request. */
  readonly received: Buffer;
}

/** Encoding of a request body. */
export type OtlpEncoding = 'json' | 'protobuf';

const ID = /^(?!0*$)[0-9a-f]*$/;

/** Returns a trace or span id of `length` hexadecimal characters in lower case; empty if it is all zeros or invalid. */
export function knownId(text: string, length: number): string {
  if (text.length !== length) return '';
  const id = text.toLowerCase();
  return ID.test(id) ? id : '';
}

/** Characters of a trace id. */
export const TRACE_ID_LENGTH = 32;

/** Characters of a span id. */
export const SPAN_ID_LENGTH = 16;
