import type { JsonValue } from '../../../core/event/json.js';
import { beginTimeSlice } from '../../../core/time-slice.js';
import { isInteger, MAX_DEPTH } from './any-value.js';
import type { Attributes, LogRecord, RecordGroup } from './log-record.js';
import { wellFormed } from './well-formed.js';

/** An ExportLogsServiceRequest in OTLP's JSON, written in slices so that other requests get their turn. */
export async function encodeJson(groups: readonly RecordGroup[]): Promise<Buffer> {
  const slice = beginTimeSlice();
  const resourceLogs: string[] = [];
  for (const { resource, scopes } of groups) {
    const scopeLogs: string[] = [];
    for (const { scope, records } of scopes) {
      const logRecords: string[] = [];
      for (const record of records) {
        if (slice.isOver) await slice.next();
        logRecords.push(JSON.stringify(recordOf(record)));
      }
      const { name, version, schemaUrl } = scope;
      const head = { name: wellFormed(name), version: wellFormed(version), attributes: listOf(scope.attributes) };
      scopeLogs.push(
        `{"scope":${JSON.stringify(head)},"logRecords":[${logRecords.join(',')}],"schemaUrl":${textOf(schemaUrl)}}`,
      );
    }
    const head = JSON.stringify({ attributes: listOf(resource.attributes) });
    resourceLogs.push(
      `{"resource":${head},"scopeLogs":[${scopeLogs.join(',')}],"schemaUrl":${textOf(resource.schemaUrl)}}`,
    );
  }
  return Buffer.from(`{"resourceLogs":[${resourceLogs.join(',')}]}`, 'utf8');
}

function recordOf(record: LogRecord): object {
  const { severityNumber, flags, traceId, spanId } = record;
  return {
    timeUnixNano: String(record.timeUnixNano),
    observedTimeUnixNano: String(record.observedTimeUnixNano),
    severityNumber,
    severityText: wellFormed(record.severityText),
    body: anyValueOf(record.body, 0),
    attributes: listOf(record.attributes),
    flags,
    traceId,
    spanId,
    eventName: wellFormed(record.eventName),
  };
}

function textOf(text: string): string {
  return JSON.stringify(wellFormed(text));
}

function listOf(attributes: Attributes | readonly [string, JsonValue][], depth = 0): object[] {
  return [...attributes].map(([key, value]) => ({ key: wellFormed(key), value: anyValueOf(value, depth) }));
}

function anyValueOf(value: JsonValue, depth: number): object {
  if (value === null) return {};
  if (typeof value === 'string') return { stringValue: wellFormed(value) };
  if (typeof value === 'boolean') return { boolValue: value };
  // An int64 is text in JSON.
  if (typeof value === 'number') return isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (depth >= MAX_DEPTH) return { stringValue: wellFormed(JSON.stringify(value)) };
  if (Array.isArray(value)) return { arrayValue: { values: value.map((one) => anyValueOf(one, depth + 1)) } };
  return { kvlistValue: { values: listOf(Object.entries(value), depth + 1) } };
}
