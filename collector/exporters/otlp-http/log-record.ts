import type { JsonObject } from '../../../core/event/json.js';
import type { OtlpLogRecord, OtlpResource, OtlpScope } from '../../otlp/otlp-records.js';

/** The resource of a record; records of one resource are grouped. */
export type RecordResource = Omit<OtlpResource, 'droppedAttributesCount'>;

export type RecordScope = Omit<OtlpScope, 'droppedAttributesCount'>;

/** An event as an OpenTelemetry log record without dropped attributes. */
export interface LogRecord extends Omit<OtlpLogRecord, 'resource' | 'scope' | 'droppedAttributesCount'> {
  readonly resource: RecordResource;
  readonly scope: RecordScope;
}

/** Records of one resource, by scope. */
export interface RecordGroup {
  readonly resource: RecordResource;
  readonly scopes: readonly { readonly scope: RecordScope; readonly records: readonly LogRecord[] }[];
}

/** Returns an object member; empty if missing or of another type. */
export function objectIn(value: JsonObject | null | undefined, key: string): JsonObject {
  const member = value !== null && value !== undefined && Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof member === 'object' && member !== null && !Array.isArray(member) ? member : {};
}
