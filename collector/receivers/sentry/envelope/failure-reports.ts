import { Fault } from '../../../../core/event/fault.js';
import type { JsonObject } from '../../../../core/event/json.js';
import { createRepeatedDigest, digestOf, digestOfFailure, wordsOf } from '../../intake/failure-digest.js';
import { type RecordOutcome, type Settlement, settlementOf } from '../../intake/intake.js';
import type { Claim } from '../../intake/new-report.js';
import { type FailureReport, Occurrences, type Relation } from '../../intake/occurrences.js';
import { attributeOf } from '../mapping/map-log.js';
import { loggedMessage } from '../mapping/map-message.js';
import { sentTimeMs } from '../mapping/map-time.js';
import { asText, asValues, at } from '../mapping/map-values.js';
import { isServerLine } from './server-lines.js';

/** A report of an SDK. */
interface SentryReport extends FailureReport {
  /** Digest of the user; undefined if it is not known. */
  readonly user: number | undefined;
  readonly trace: number | undefined;
  /** Digest of server and thread, only of what names a request and of the line of a server that names none. */
  readonly thread: number | undefined;
  readonly isServerLine: boolean;
}

/** Part of a `SentryContext`. */
interface ReportContext {
  readonly project: { readonly id: string };
  readonly receivedMs: number;
}

/** What a report says besides its failure. */
interface Origin {
  readonly signal: string;
  /** What made the report: a logger, or the part of the SDK that caught the exception. */
  readonly source: string;
  readonly words: string | undefined;
  readonly traceId: string | undefined;
  readonly spanId: string | undefined;
  /** Milliseconds since the epoch; NaN without a time. */
  readonly sentMs: number;
  /** Server and thread. */
  readonly thread?: string | undefined;
  readonly id?: string;
}

/** SDKs send buffered logs within seconds of the event. */
const WINDOW_MS = 60_000;
const MAX_REPORTS_OF_KEY = 100;
/** Nanoseconds between the reports of one failure: an exception is logged where it is caught and sent where it ends, in whole seconds by some SDKs. */
const MAX_PASSED = 2_000_000_000n;
/** Nanoseconds from a report with its request to that of its server: the first failure of a JVM loads many classes. */
const MAX_SERVER_DELAY = 5_000_000_000n;
const NANOS_PER_MS = 1_000_000n;

/**
 * Recent exceptions that SDKs sent as events and as log entries. An integration of a logger and one of a framework report one failure twice, of
 * which an SDK drops the second one only if both hold the same object.
 */
export class FailureReports {
  readonly #occurrences: Occurrences<SentryReport>;
  readonly #serviceDigest = createRepeatedDigest();
  readonly #sourceDigest = createRepeatedDigest();

  /** `nowMs`: monotonic milliseconds, default `performance.now`. */
  constructor(nowMs = () => performance.now()) {
    this.#occurrences = new Occurrences({ windowMs: WINDOW_MS, maxOfKey: MAX_REPORTS_OF_KEY, nowMs });
  }

  /** Claims an event that was mapped to `payload`; undefined if it is no exception. */
  claimEvent(event: JsonObject, payload: JsonObject, context: ReportContext): Claim | undefined {
    const trace = at(at(event, 'contexts'), 'trace');
    const exception = asValues(at(event, 'exception')).at(-1);
    const origin: Origin = {
      signal: 'event',
      source: `${asText(at(at(exception, 'mechanism'), 'type'))} ${asText(at(event, 'logger'))}`,
      words: loggedMessage(event).text,
      traceId: asText(at(trace, 'trace_id')),
      spanId: asText(at(trace, 'span_id')),
      sentMs: sentTimeMs(event),
      thread: threadOf(event),
      id: asText(at(event, 'event_id')) ?? '',
    };
    return this.#claim(origin, payload, context);
  }

  /** Claims a log entry of the SDK's part `source` that was mapped to `payload`; undefined if it is no exception. */
  claimEntry(
    entry: JsonObject,
    payload: JsonObject,
    source: string | undefined,
    context: ReportContext,
  ): Claim | undefined {
    const origin: Origin = {
      signal: 'log',
      source: `${source} ${asText(attributeOf(at(entry, 'attributes'), 'logger.name'))}`,
      words: asText(at(entry, 'body')),
      traceId: asText(at(entry, 'trace_id')),
      spanId: asText(at(entry, 'span_id')),
      sentMs: sentTimeMs(entry),
    };
    return this.#claim(origin, payload, context);
  }

  #claim(origin: Origin, payload: JsonObject, { project, receivedMs }: ReportContext): Claim | undefined {
    const failure = digestOfFailure(payload);
    if (failure?.exception === undefined) return undefined;
    const { signal, traceId, id } = origin;
    const source = this.#sourceDigest(`${signal} ${origin.source}`);
    const isOfRequest = payload['method'] !== null || payload['route'] !== '';
    const isLine = !isOfRequest && isServerLine(origin.words ?? '');
    const thread = isOfRequest || isLine ? digestOf(origin.thread) : undefined;
    const report: SentryReport = {
      failure,
      service: this.#serviceDigest(`${payload['app']}\n${payload['service']}`),
      signal,
      source,
      // Reports of two sources are never alike, so that each is stored.
      words: origin.words === undefined ? source : digestOf(`${source} ${wordsOf(origin.words)}`),
      spanId: origin.spanId ?? '',
      time: timeOf(origin.sentMs, receivedMs),
      user: digestOf(asText(payload['user_id'])),
      trace: digestOf(traceId),
      thread,
      isServerLine: isLine,
      ...(id !== undefined && { id }),
    };
    const keys = [`${project.id} ${traceId ?? failure.exception}`];
    if (thread !== undefined) keys.push(`${project.id} thread ${thread}`);
    return this.#occurrences.claim(keys, report, relationOf);
  }
}

/** Undefined if the SDK names no thread. */
function threadOf(event: JsonObject): string | undefined {
  const name =
    asText(at(at(at(at(event, 'contexts'), 'trace'), 'data'), 'thread.name')) ??
    asText(at(at(event, 'extra'), 'thread_name'));
  return name === undefined ? undefined : `${asText(at(event, 'server_name'))} ${name}`;
}

/** By the sender's clock: what is stored is corrected by each request's delay. */
function timeOf(sentMs: number, receivedMs: number): bigint {
  return BigInt(Math.trunc(Number.isNaN(sentMs) ? receivedMs : sentMs)) * NANOS_PER_MS;
}

/**
 * SDKs without tracing name a new span in each report, and some one trace for all that a page does. A server logs outside of the request's
 * trace, on its thread. Without a trace only the same call is one.
 */
function relationOf(one: SentryReport, other: SentryReport): Relation {
  if (one.user !== undefined && other.user !== undefined && one.user !== other.user) return 'apart';
  if (one.trace !== other.trace) return isLoggedByServer(one, other) || isLoggedByServer(other, one) ? 'one' : 'apart';
  const passed = one.time > other.time ? one.time - other.time : other.time - one.time;
  if (passed > MAX_PASSED) return 'apart';
  if (one.trace !== undefined) return 'one';
  const { raised } = one.failure;
  return raised !== undefined && raised === other.failure.raised ? 'one' : 'apart';
}

/** Whether a server logged `line` at the end of the request that `report` names. */
function isLoggedByServer(line: SentryReport, report: SentryReport): boolean {
  if (!line.isServerLine || report.isServerLine) return false;
  if (line.thread === undefined || line.thread !== report.thread) return false;
  const passed = line.time - report.time;
  return passed >= 0n && passed <= MAX_SERVER_DELAY;
}

/**
 * Resolves with what counts the occurrence of a report, once that is durable; undefined: the report counts. SDKs do not repeat what was refused,
 * so it counts as well if the earlier report was.
 */
export async function countOf(claim: Claim | undefined): Promise<Settlement> {
  const earlier = claim?.kind === 'new' ? claim.countedBy : claim;
  return await earlier?.settled.catch(() => undefined);
}

/** Ends the claim of a report; `outcome`: undefined if it was refused. */
export function endClaim(claim: Claim | undefined, outcome: RecordOutcome | undefined): void {
  if (claim?.kind !== 'new') return;
  if (outcome === undefined)
    claim.refuse(new Fault('STORE_UNAVAILABLE', 'the report was refused', { retryable: true }));
  else claim.settle(settlementOf(outcome));
}
