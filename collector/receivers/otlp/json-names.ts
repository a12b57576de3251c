import type { MemberName } from './json-member.js';

/** What the lists of a request are called in JSON, from the outermost to the records. */
export interface JsonNames {
  readonly groups: MemberName;
  readonly scopes: MemberName;
  readonly records: MemberName;
}

/** The lists of a request for logs. */
export const LOGS_NAMES: JsonNames = {
  groups: ['resourceLogs', 'resource_logs'],
  scopes: ['scopeLogs', 'scope_logs'],
  records: ['logRecords', 'log_records'],
};

/** The lists of a request for traces. */
export const TRACES_NAMES: JsonNames = {
  groups: ['resourceSpans', 'resource_spans'],
  scopes: ['scopeSpans', 'scope_spans'],
  records: ['spans', 'spans'],
};

/** The member of all that has attributes. */
export const DROPPED_ATTRIBUTES_COUNT: MemberName = ['droppedAttributesCount', 'dropped_attributes_count'];

/** The member of what keeps time. */
export const TIME_UNIX_NANO: MemberName = ['timeUnixNano', 'time_unix_nano'];

/** The member that ties a record to a trace. */
export const TRACE_ID: MemberName = ['traceId', 'trace_id'];

/** The member that ties a record to a span. */
export const SPAN_ID: MemberName = ['spanId', 'span_id'];
