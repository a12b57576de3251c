import { beginTimeSlice } from '../../../../core/time-slice.js';
import type { OtlpBadRecord, OtlpEncoding } from '../../../otlp/otlp-records.js';
import { openProtobufReader } from '../../../otlp/protobuf-reader.js';
import type { DecodeSteps } from './decode-steps.js';
import { SIGNALS } from './foreign-signal.js';
import { jsonSteps } from './json-request.js';
import type { OtlpSignal } from './otlp-failure.js';
import { LOG_RECORD, type MessageType, SPAN } from './otlp-messages.js';
import { protobufSteps } from './protobuf-request.js';

/** Few: records that survive a garbage collection cost more than decoding them. */
const MAX_BATCH_RECORDS = 16;

/**
 * Yields the log records and bad records of an ExportLogsServiceRequest in order, at most 16 at a time. Throws `OTLP_INVALID` only before
 * the first batch. Pauses for the event loop; `body` must not change until the end.
 */
export function decodeLogs(body: Buffer, encoding: OtlpEncoding, maxMembers: number) {
  return decode(body, encoding, maxMembers, 'logs', LOG_RECORD);
}

/** Yields the spans of an ExportTraceServiceRequest, as `decodeLogs`. */
export function decodeTraces(body: Buffer, encoding: OtlpEncoding, maxMembers: number) {
  return decode(body, encoding, maxMembers, 'traces', SPAN);
}

async function* decode<Item>(
  body: Buffer,
  encoding: OtlpEncoding,
  maxMembers: number,
  signal: OtlpSignal,
  type: MessageType<Item>,
): AsyncGenerator<(Item | OtlpBadRecord)[], void> {
  const steps: DecodeSteps<Item> =
    encoding === 'json'
      ? jsonSteps(body, SIGNALS[signal].lists, type, maxMembers)
      : protobufSteps(body, await openProtobufReader(body, maxMembers), type, signal);
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
