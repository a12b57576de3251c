import { inSlices } from './decode-steps.js';
import { TRACES_NAMES } from './json-names.js';
import { jsonSteps } from './json-request.js';
import { spanOf } from './json-span.js';
import type { OtlpEncoding, OtlpPart, OtlpSpan } from './otlp-records.js';
import { openProtobufReader } from './protobuf-reader.js';
import { protobufSteps } from './protobuf-request.js';
import { readSpan } from './protobuf-span.js';

/** The spans of an ExportTraceServiceRequest; otherwise as `decodeLogs`. */
export async function* decodeTraces(
  body: Buffer,
  encoding: OtlpEncoding,
  maxMembers: number,
): AsyncGenerator<OtlpPart<OtlpSpan>, void> {
  if (encoding === 'json') yield* inSlices(jsonSteps(body, TRACES_NAMES, spanOf, maxMembers));
  else yield* inSlices(protobufSteps(body, await openProtobufReader(body, maxMembers), readSpan));
}
