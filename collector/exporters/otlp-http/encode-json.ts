import { wellFormedJson } from '../../../config/values/well-formed-json.js';
import type { JsonObject, JsonValue } from '../../../core/event/json.js';
import { jsonPieces } from '../../../core/event/json-pieces.js';
import { runInSlices, type Steps } from '../../processors/event-processor/steps.js';
import { isInteger, MAX_DEPTH, membersOf } from './any-value.js';
import { BodyChunks } from './body-chunks.js';
import type { LogRecord, RecordGroup } from './log-record.js';

type Pairs = Iterable<readonly [string, JsonValue]>;

/** Encodes an ExportLogsServiceRequest as OTLP JSON, in time slices. */
export function encodeJson(groups: readonly RecordGroup[]): Promise<Uint8Array> {
  return runInSlices(requestOf(groups));
}

function* requestOf(groups: readonly RecordGroup[]): Steps<Uint8Array> {
  const resourceLogs: JsonObject[] = [];
  for (const { resource, scopes } of groups) {
    const scopeLogs: JsonObject[] = [];
    for (const { scope, records } of scopes) {
      const logRecords: JsonObject[] = [];
      for (const record of records) logRecords.push(yield* recordOf(record));
      const [name = '', version = '', schemaUrl = ''] = [scope.name, scope.version, scope.schemaUrl].map((text) =>
        text.toWellFormed(),
      );
      const attributes = yield* attributesOf(scope.attributes, 0);
      scopeLogs.push({ scope: { name, version, attributes }, logRecords, schemaUrl });
    }
    const attributes = yield* attributesOf(resource.attributes, 0);
    resourceLogs.push({ resource: { attributes }, scopeLogs, schemaUrl: resource.schemaUrl.toWellFormed() });
  }
  const body = new BodyChunks();
  for (const piece of jsonPieces({ resourceLogs })) {
    body.append(Buffer.from(piece, 'utf8'));
    yield;
  }
  return yield* body.concat();
}

function* recordOf(record: LogRecord): Steps<JsonObject> {
  const { severityNumber, flags, traceId, spanId } = record;
  return {
    timeUnixNano: String(record.timeUnixNano),
    observedTimeUnixNano: String(record.observedTimeUnixNano),
    severityNumber,
    severityText: record.severityText.toWellFormed(),
    body: yield* anyValueOf(record.body, 0),
    attributes: yield* attributesOf(record.attributes, 0),
    flags,
    traceId,
    spanId,
    eventName: record.eventName.toWellFormed(),
  };
}

function* attributesOf(pairs: Pairs, depth: number): Steps<JsonObject[]> {
  const attributes: JsonObject[] = [];
  for (const [key, value] of pairs)
    attributes.push({ key: key.toWellFormed(), value: yield* anyValueOf(value, depth) });
  return attributes;
}

function* anyValueOf(value: JsonValue, depth: number): Steps<JsonObject> {
  yield;
  if (value === null) return {};
  if (typeof value === 'string') return { stringValue: value.toWellFormed() };
  if (typeof value === 'boolean') return { boolValue: value };
  // An int64 is text in JSON.
  if (typeof value === 'number') return isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (depth >= MAX_DEPTH) return { stringValue: wellFormedJson(JSON.stringify(value)) };
  if (!Array.isArray(value)) return { kvlistValue: { values: yield* attributesOf(membersOf(value), depth + 1) } };
  const values: JsonObject[] = [];
  for (const one of value) values.push(yield* anyValueOf(one, depth + 1));
  return { arrayValue: { values } };
}
