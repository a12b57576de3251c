import { filledText, type JsonObject, type JsonValue } from '../../../../core/event/json.js';
import { hasException } from '../../../otlp/severity.js';
import { createRepeatedDigest, digestOf, digestOfFailure, wordsOf } from '../../intake/failure-digest.js';
import { type Claim, NewReport } from '../../intake/new-report.js';
import { type FailureReport, Occurrences, type Relation } from '../../intake/occurrences.js';
import { failureAttributes, type OtlpFailure, timeOf, traceOf } from '../decode/otlp-failure.js';
import { type FindSpan, pathOf } from '../decode/span-cache.js';

interface ExceptionDedupOptions {
  /** How long the reports of a trace are remembered after its latest; `Infinity`: until newer ones evict them. */
  readonly windowMs: number;
  /** Monotonic milliseconds, default `performance.now`. */
  readonly nowMs?: () => number;
}

const MAX_REPORTS_OF_TRACE = 1_000;

/**
 * Recently reported exceptions by trace. An exception may be recorded on every span that it passes and logged at several places, under
 * several names if it is wrapped (decision 58). Reports under two services are two occurrences.
 */
export class ExceptionDedup {
  readonly #occurrences: Occurrences<FailureReport>;
  readonly #serviceDigest = createRepeatedDigest();
  readonly #sourceDigest = createRepeatedDigest();

  constructor(options: ExceptionDedupOptions) {
    this.#occurrences = new Occurrences({ ...options, maxOfKey: MAX_REPORTS_OF_TRACE });
  }

  /** `payload`: what the failure is mapped to; `find`: finds the known spans. */
  claim(failure: OtlpFailure, payload: JsonObject, find: FindSpan): Claim {
    const { traceId } = traceOf(failure);
    const report = traceId === '' ? undefined : this.#read(failure, payload);
    // Equal failures without a trace or an exception are separate occurrences.
    if (report === undefined) return new NewReport();
    return this.#occurrences.claim([traceId], report, (one, other) => relationOf(one, other, traceId, find));
  }

  #read(failure: OtlpFailure, payload: JsonObject): FailureReport | undefined {
    const { spanId } = traceOf(failure);
    const attributes = failureAttributes(failure);
    // Without what a logger said, which the message of a payload may begin with.
    const message = filledText(attributes.get('exception.message')) ?? payload['message'] ?? '';
    const said = message === payload['message'] ? payload : { ...payload, message };
    const digest = digestOfFailure(said, hasException(attributes));
    if (digest === undefined) return undefined;
    const isLog = failure.signal === 'log';
    return {
      failure: digest,
      service: this.#serviceDigest(`${payload['app']}\n${payload['service']}`),
      signal: failure.signal,
      source: this.#sourceDigest(isLog ? `log ${failure.record.scope.name}` : `span ${spanId}`),
      words: isLog ? digestOf(wordsOf(textOf(failure.record.body))) : undefined,
      spanId,
      time: timeOf(failure),
    };
  }
}

function textOf(body: JsonValue): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/**
 * An exception passes the spans above its own, up to that of its request. It may be logged in a span beside them, and a span that was not
 * received may be anywhere.
 */
function relationOf(one: FailureReport, other: FailureReport, traceId: string, find: FindSpan): Relation {
  if (one.spanId === '' || other.spanId === '') return 'unknown';
  const path = pathOf(traceId, one.spanId, find);
  const otherPath = pathOf(traceId, other.spanId, find);
  if (path.ids.includes(other.spanId) || otherPath.ids.includes(one.spanId)) return 'one';
  if (path.end === 'unknown' || otherPath.end === 'unknown') return 'unknown';
  const isBeside = path.ids.at(-1) === otherPath.ids.at(-1);
  const areTwoRequests = path.end === 'request' && otherPath.end === 'request' && !isBeside;
  return areTwoRequests || (isBeside && one.signal === other.signal) ? 'apart' : 'unknown';
}
