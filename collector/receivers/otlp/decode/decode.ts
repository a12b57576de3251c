import { beginTimeSlice } from '../../../../core/time-slice.js';
import type { OtlpBadRecord, OtlpEncoding, OtlpLogRecord, OtlpSpan } from '../../../otlp/otlp-records.js';
import { openProtobufReader } from '../../../otlp/protobuf-reader.js';
import type { DecodeSteps } from './decode-steps.js';
import { logRecordOf, spanOf } from './json-records.js';
import { type JsonNames, type JsonRecordReader, jsonSteps } from './json-request.js';
import { readLogRecord, readSpan } from './protobuf-records.js';
import { type ProtobufRecordReader, protobufSteps } from './protobuf-request.js';

/** Decoders of one signal's records. */
interface SignalReader<Item> {
  readonly names: JsonNames;
  readonly fromJson: JsonRecordReader<Item>;
  readonly fromProtobuf: ProtobufRecordReader<Item>;
}

const LOGS: SignalReader<OtlpLogRecord> = {
  names: {
    groups: ['resourceLogs', 'resource_logs'],
    scopes: ['scopeLogs', 'scope_logs'],
    records: ['logRecords', 'log_records'],
  },
  fromJson: logRecordOf,
  fromProtobuf: readLogRecord,
};
const TRACES: SignalReader<OtlpSpan> = {
  names: {
    groups: ['resourceSpans', 'resource_spans'],
    scopes: ['scopeSpans', 'scope_spans'],
    records: ['spans', 'spans'],
  },
  fromJson: spanOf,
  fromProtobuf: readSpan,
};

const MAX_BATCH_RECORDS = 100;

/**
 * Yields the log records and bad records of an ExportLogsServiceRequest in order, at most 100 at a time. Throws `OTLP_INVALID` only before
 * the first batch. Pauses for the event loop; `body` must not change until the end.
 */
export function decodeLogs(body: Buffer, encoding: OtlpEncoding, maxMembers: number) {
  return decode(body, encoding, maxMembers, LOGS);
}

/** Yields the spans of an ExportTraceServiceRequest, as `decodeLogs`. */
export function decodeTraces(body: Buffer, encoding: OtlpEncoding, maxMembers: number) {
  return decode(body, encoding, maxMembers, TRACES);
}

async function* decode<Item>(
  body: Buffer,
  encoding: OtlpEncoding,
  maxMembers: number,
  { names, fromJson, fromProtobuf }: SignalReader<Item>,
): AsyncGenerator<(Item | OtlpBadRecord)[], void> {
  const steps: DecodeSteps<Item> =
    encoding === 'json'
      ? jsonSteps(body, names, fromJson, maxMembers)
      : protobufSteps(body, await openProtobufReader(body, maxMembers), fromProtobuf);
  const slice = beginTimeSlice();
  let batch: (Item | OtlpBadRecord)[] = [];
  for (const found of steps) {
    if (found !== undefined && batch.push(found) === MAX_BATCH_RECORDS) {
      yield batch;
      batch = [];
    }
    if (slice.isOver) await slice.next();
  }
  if (batch.length > 0) yield batch;
}
