import { Fault } from '../../core/event/fault.js';
import type { JsonValue } from '../../core/event/json.js';
import { tooManyMembers } from '../../core/event/validate/payload-check.js';

/** Arrays and key-value lists inside each other, in one value: what lies deeper is `TOO_DEEP`. */
export const MAX_VALUE_DEPTH = 64;

/** Stands where a value is nested too deeply. */
export const TOO_DEEP = `[nested deeper than ${MAX_VALUE_DEPTH} levels]`;

/** How many members of maps, elements of arrays and events of a span were decoded of one record, resource or scope. */
export interface MemberCount {
  members: number;
  readonly maxMembers: number;
}

/** Counts one of them. Throws Fault `EVENT_TOO_MANY_MEMBERS`. */
export function countMember(count: MemberCount): void {
  if (++count.members > count.maxMembers) throw new Fault('EVENT_TOO_MANY_MEMBERS', tooManyMembers(count.maxMembers));
}

/** A double as JSON can carry it: NaN and the infinities as text. */
export function doubleValue(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

/**
 * Attributes by key, the last of equal keys. Values as JSON: bytes as base64 text, integers beyond 2^53 and NaN and the infinities as text, what is empty or
 * cannot be read as null, maps as objects without prototype.
 */
export type OtlpAttributes = ReadonlyMap<string, JsonValue>;

/** What a sender says of itself; shared by all of its records in a request. */
export interface OtlpResource {
  readonly attributes: OtlpAttributes;
  readonly droppedAttributesCount: number;
  readonly schemaUrl: string;
}

/** The library that made a record; shared likewise. */
export interface OtlpScope {
  readonly name: string;
  readonly version: string;
  readonly attributes: OtlpAttributes;
  readonly droppedAttributesCount: number;
  readonly schemaUrl: string;
}

/** A log record, whatever the encoding it came in. What is absent is 0n, 0, or empty, as in protobuf. */
export interface OtlpLogRecord {
  readonly resource: OtlpResource;
  readonly scope: OtlpScope;
  readonly timeUnixNano: bigint;
  readonly observedTimeUnixNano: bigint;
  /** 0 for none; numbers that OTLP does not know are kept. */
  readonly severityNumber: number;
  readonly severityText: string;
  /** Null for none. */
  readonly body: JsonValue;
  readonly attributes: OtlpAttributes;
  readonly droppedAttributesCount: number;
  /** The low 8 bits. */
  readonly flags: number;
  /** 32 lowercase hexadecimal characters; empty when absent, zero or of another length. */
  readonly traceId: string;
  /** 16 of them; empty likewise. */
  readonly spanId: string;
  readonly eventName: string;
}

/** Something that happened during a span. */
export interface OtlpSpanEvent {
  readonly timeUnixNano: bigint;
  readonly name: string;
  readonly attributes: OtlpAttributes;
  readonly droppedAttributesCount: number;
}

/** A span; its links are not read. */
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
  readonly statusCode: number;
  readonly statusMessage: string;
  /** The low 8 bits. */
  readonly flags: number;
}

/** A record while it is made: its fields are set one by one, so that nothing is copied. */
export type OtlpDraft<Item> = {
  -readonly [Key in keyof Item]: Item[Key] extends OtlpAttributes
    ? Map<string, JsonValue>
    : Item[Key] extends readonly (infer Element)[]
      ? Element[]
      : Item[Key];
};

/** A record that could not be read although the rest of its request could. */
export interface OtlpBadRecord {
  readonly code: string;
  /** One sentence that names the field. */
  readonly reason: string;
  /** Its bytes as they came, or its JSON text; bounded by the request. */
  readonly received: Buffer;
}

/** What a request body is encoded in. */
export type OtlpEncoding = 'json' | 'protobuf';

const ID = /^(?!0*$)[0-9a-f]*$/;

/** A trace id (32 characters) or span id (16) from hexadecimal text in any case; empty when it is all zeros, of another length, or no such text. */
export function knownId(text: string, length: number): string {
  if (text.length !== length) return '';
  const id = text.toLowerCase();
  return ID.test(id) ? id : '';
}

/** Characters of a trace id. */
export const TRACE_ID_LENGTH = 32;

/** Characters of a span id. */
export const SPAN_ID_LENGTH = 16;
