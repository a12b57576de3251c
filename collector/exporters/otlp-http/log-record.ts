import type { JsonObject } from '../../../core/event/json.js';
import type { OtlpLogRecord, OtlpResource, OtlpScope } from '../../otlp/otlp-records.js';

/** Who made a record; records of the same one travel together. */
export type RecordResource = Omit<OtlpResource, 'droppedAttributesCount'>;

/** The library that made a record. */
export type RecordScope = Omit<OtlpScope, 'droppedAttributesCount'>;

/** One event as a log record of OpenTelemetry, which has dropped nothing. */
export interface LogRecord extends Omit<OtlpLogRecord, 'resource' | 'scope' | 'droppedAttributesCount'> {
  readonly resource: RecordResource;
  readonly scope: RecordScope;
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
