import type { SenderOrigin } from '../../../../core/contract/stages.js';
import { beginTimeSlice } from '../../../../core/time-slice.js';
import type { OtlpBadRecord, OtlpEncoding, OtlpLogRecord, OtlpSpan } from '../../../otlp/otlp-records.js';
import type { Level } from '../../../otlp/severity.js';
import { decodeLogs, decodeTraces } from './decode.js';
import {
  failureOfRecord,
  hopsOfFailure,
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

/** An item of a request to store or reject. */
export type RequestItem = JoinedFailure | OtlpBadRecord;

/** The next items of a request. */
interface RequestChunk {
  readonly items: RequestItem[];
  /** Number of records since the last chunk that are not failures. */
  readonly others: number;
}

/** A request before decoding. */
export interface OtlpRequest {
  readonly signal: OtlpSignal;
  readonly encoding: OtlpEncoding;
  readonly body: Buffer;
  readonly origin: SenderOrigin;
}

/** How failures are found in requests. */
export interface ReadFailuresOptions {
  readonly minSeverity: Level;
  /** Maximum object members and array elements in one record. */
  readonly maxMembers: number;
  /** Span attributes that the mapping uses. */
  readonly spanKeys: ReadonlySet<string>;
  readonly spans: SpanCache;
}

const NO_SPANS: JoinedSpans = { own: undefined, server: undefined };
const CHUNK_ITEMS = 500;
/** Failures and bad records that wait for the rest of their request. */
const MAX_WAITING = 10_000;

/** Yields the items of a request in an order that a retry repeats. Throws `OTLP_INVALID` only before the first chunk. */
export function readFailures(request: OtlpRequest, options: ReadFailuresOptions): AsyncGenerator<RequestChunk> {
  return request.signal === 'logs' ? readLogs(request, options) : readTraces(request, options);
}

async function* readLogs({ body, encoding }: OtlpRequest, options: ReadFailuresOptions): AsyncGenerator<RequestChunk> {
  const find: FindSpan = (traceId, spanId) => options.spans.find(traceId, spanId);
  const slice = beginTimeSlice();
  for await (const batch of decodeLogs(body, encoding, options.maxMembers)) {
    const items: RequestItem[] = [];
    for (const found of batch) {
      if (slice.isOver) await slice.next();
      const item = itemOf(found, options.minSeverity, find);
      if (item !== undefined) items.push(item);
    }
    yield { items, others: batch.length - items.length };
  }
}

function itemOf(found: OtlpLogRecord | OtlpBadRecord, minSeverity: Level, find: FindSpan): RequestItem | undefined {
  if ('reason' in found) return found;
  const failure = failureOfRecord(found, minSeverity);
  return failure && join(failure, find);
}

/**
 * Reads the whole request before it joins exceptions, because a span precedes its parent. With more than `MAX_WAITING` items, the first ones
 * are joined with the spans read so far.
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
  for await (const batch of decodeTraces(body, encoding, maxMembers)) {
    for (const span of batch) {
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

function cacheSpan(span: OtlpSpan, keys: ReadonlySet<string>, ...caches: readonly SpanCache[]): void {
  if (span.traceId === '' || span.spanId === '') return;
  const known = toKnownSpan(span, keys);
  for (const cache of caches) cache.add(span.traceId, known);
}

/** Removes the failures from their list as it yields them. */
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

/** Records of another Faultline are already joined. */
function join(failure: OtlpFailure, find: FindSpan): JoinedFailure {
  if (hopsOfFailure(failure) > 0) return { failure, joined: NO_SPANS };
  const { traceId, spanId } = traceOf(failure);
  return { failure, joined: joinSpans(traceId, spanId, find) };
}
