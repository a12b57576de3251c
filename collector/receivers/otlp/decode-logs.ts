import { inSlices } from './decode-steps.js';
import { logRecordOf } from './json-log-record.js';
import { LOGS_NAMES } from './json-names.js';
import { jsonSteps } from './json-request.js';
import type { OtlpEncoding, OtlpLogRecord, OtlpPart } from './otlp-records.js';
import { readLogRecord } from './protobuf-log-record.js';
import { openProtobufReader } from './protobuf-reader.js';
import { protobufSteps } from './protobuf-request.js';

/**
 * The log records of an ExportLogsServiceRequest, in order. Throws `OTLP_INVALID`, if at all, before the first part. The event loop turns in between;
 * `body` must not change until the last part is taken.
 */
export async function* decodeLogs(
  body: Buffer,
  encoding: OtlpEncoding,
  maxMembers: number,
): AsyncGenerator<OtlpPart<OtlpLogRecord>, void> {
  if (encoding === 'json') yield* inSlices(jsonSteps(body, LOGS_NAMES, logRecordOf, maxMembers));
  else yield* inSlices(protobufSteps(body, await openProtobufReader(body, maxMembers), readLogRecord));
}
