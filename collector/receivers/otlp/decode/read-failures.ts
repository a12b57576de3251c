import type { OtlpBadRecord, OtlpEncoding, OtlpSpan } from '../../../otlp/otlp-records.js';
import type { Level } from '../../../otlp/severity.js';
import { decodeLogs, decodeTraces } from './decode.js';
import {
  hopsOfFailure,
  isFailedRecord,
  isFailedSpanEvent,
  type OtlpFailure,
  type OtlpSignal,
  traceOf,
} from './otlp-failure.js';
import { type FindSpan, type JoinedSpans, joinSpans, SpanCache, toKnownSpan } from './span-cache.js';

/** A failure with the spans around it. */
export interface JoinedFailure {
  readonly failure: OtlpFailure;
  readonly joined: JoinedSpans;
}

/** What of a request is stored or rejected. */
export type RequestItem = JoinedFailure | OtlpBadRecord;

/** The next items of a request; the caller may empty the list. */
export interface RequestChunk {
  readonly items: RequestItem[];
  /** Records that are no failures: they have come since the chunk before. */
  readonly others: number;
}

/** A request as it came. */
export interface OtlpRequest {
  readonly signal: OtlpSignal;
  readonly encoding: OtlpEncoding;
  readonly body: Buffer;
}

/** What the failures of requests are found by. */
export interface ReadFailuresOptions {
  readonly minSeverity: Level;
  /** Most members of objects and elements of arrays in one record. */
  readonly maxMembers: number;
  /** Attributes of spans that the mapping looks up. */
  readonly spanKeys: ReadonlySet<string>;
  readonly spans: SpanCache;
}

const NO_SPANS: JoinedSpans = { own: undefined, server: undefined };
const CHUNK_ITEMS = 500;
/** Exceptions on spans, and bad records, that wait for the rest of their request. */
const MAX_WAITING = 10_000;

/** The items of a request in an order that is the same whenever it comes. Throws `OTLP_INVALID` before the first chunk. */
export function readFailures(request: OtlpRequest, options: ReadFailuresOptions): AsyncGenerator<RequestChunk> {
  return request.signal === 'logs' ? readLogs(request, options) : readTraces(request, options);
}

async function* readLogs({ body, encoding }: OtlpRequest, options: ReadFailuresOptions): AsyncGenerator<RequestChunk> {
  const find: FindSpan = (traceId, spanId) => options.spans.find(traceId, spanId);
  let items: RequestItem[] = [];
  let others = 0;
  for await (const part of decodeLogs(body, encoding, options.maxMembers)) {
    for (const found of part) {
      if ('reason' in found) items.push(found);
      else if (isFailedRecord(found, options.minSeverity)) items.push(join({ signal: 'log', record: found }, find));
      else others++;
    }
    if (items.length < CHUNK_ITEMS) continue;
    yield { items, others };
    items = [];
    others = 0;
  }
  yield { items, others };
}

/**
 * A span comes before the one that it is part of: the whole request is read before the first exception is joined. Only of a request with more
 * failures than any exporter sends at a time are some joined with what came so far.
 */
async function* readTraces(
  { body, encoding }: OtlpRequest,
  { spanKeys, spans, maxMembers }: ReadFailuresOptions,
): AsyncGenerator<RequestChunk> {
  const ofRequest = new SpanCache({ windowMs: Number.POSITIVE_INFINITY });
  const find: FindSpan = (traceId, spanId) => ofRequest.find(traceId, spanId) ?? spans.find(traceId, spanId);
  let failures: OtlpFailure[] = [];
  let badRecords: OtlpBadRecord[] = [];
  let others = 0;
  for await (const part of decodeTraces(body, encoding, maxMembers)) {
    for (const span of part) {
      if ('reason' in span) {
        badRecords.push(span);
        continue;
      }
      cacheSpan(span, spanKeys, ofRequest, spans);
      const failed = span.events.filter(isFailedSpanEvent);
      for (const event of failed) failures.push({ signal: 'span_event', span, event });
      if (failed.length === 0) others++;
    }
    if (failures.length + badRecords.length < MAX_WAITING) continue;
    yield* inChunks(failures, badRecords, others, find);
    failures = [];
    badRecords = [];
    others = 0;
  }
  yield* inChunks(failures, badRecords, others, find);
}

function cacheSpan(span: OtlpSpan, keys: ReadonlySet<string>, ...memories: readonly SpanCache[]): void {
  if (span.traceId === '' || span.spanId === '') return;
  const known = toKnownSpan(span, keys);
  for (const memory of memories) memory.add(span.traceId, known);
}

/** Takes the failures out of their list as it goes. */
function* inChunks(
  failures: OtlpFailure[],
  badRecords: OtlpBadRecord[],
  others: number,
  find: FindSpan,
): Generator<RequestChunk> {
  yield { items: badRecords, others };
  while (failures.length > 0) {
    yield { items: failures.splice(0, CHUNK_ITEMS).map((failure) => join(failure, find)), others: 0 };
  }
}

/** Another Faultline has joined the spans of its records already. */
function join(failure: OtlpFailure, find: FindSpan): JoinedFailure {
  if (hopsOfFailure(failure) > 0) return { failure, joined: NO_SPANS };
  const { traceId, spanId } = traceOf(failure);
  return { failure, joined: joinSpans(traceId, spanId, find) };
}
