import { Fault } from '../../../core/event/fault.js';
import type { FollowedEvent } from '../../../core/storage/following/record-follower.js';
import type { Backoff } from '../sending/backoff.js';
import type { ExportTelemetry } from '../sending/export-telemetry.js';
import type { HttpClient, HttpResponse } from '../sending/http-client.js';
import { type Attempt, parseRetryAfter, retrying } from '../sending/retrying.js';
import { type EncodedRequest, encodeRequest, type RequestForm } from './encode-request.js';
import { parseExportResponse } from './export-response.js';

/** How events are delivered. */
export interface DeliverOptions extends RequestForm {
  readonly client: Pick<HttpClient, 'post'>;
  readonly telemetry: ExportTelemetry;
  readonly beginBackoff: () => Backoff;
  /** Ends the tries. */
  readonly stop: AbortSignal;
  /** Ends a running request. */
  readonly abort: AbortSignal;
}

/** What became of a request. */
export type DeliveryResult =
  /** Answered for good: taken, refused or given up, and counted. */
  | 'done'
  /** Too large for the server, or one of them cannot be written: parts of it may do. */
  | 'divide'
  | 'stopped';

/**
 * Answers that are about what was sent, which will be no better the next time. All others are about the way, a token or an address for example, which
 * somebody mends: the record keeps the events until then.
 */
const REFUSED_FOR_GOOD: ReadonlySet<number> = new Set([400, 413, 415, 422]);
const TOO_LARGE = 413;

/** Sends events as one request, and tries again while that may help. */
export async function deliverEvents(
  events: readonly FollowedEvent[],
  options: DeliverOptions,
): Promise<DeliveryResult> {
  const { telemetry, stop, beginBackoff } = options;
  const request = await encodeRequest(events, options);
  if (request === undefined) {
    if (events.length > 1) return 'divide';
    telemetry.countDropped(1, 'it could not be written as a log record');
    return 'done';
  }
  const onRetry = (reason: string): void => {
    telemetry.countAttempt('retry');
    telemetry.reportFailing(reason);
  };
  const tried = await retrying(() => attempt(request, options), beginBackoff(), stop, onRetry);
  if (tried.kind === 'answered') return await judge(tried.answer, events.length, telemetry);
  if (tried.kind === 'stopped') return 'stopped';
  telemetry.countAttempt('failure');
  return passOver(events.length, tried.reason, telemetry);
}

async function attempt(
  { body, headers }: EncodedRequest,
  { client, telemetry, abort }: DeliverOptions,
): Promise<Attempt<HttpResponse>> {
  try {
    const answer = await telemetry.trackInFlight(() => client.post(body, headers, abort));
    if (isSuccess(answer) || REFUSED_FOR_GOOD.has(answer.status)) return { kind: 'answered', answer };
    const { message } = await parseExportResponse(answer, 0);
    const askedMs = parseRetryAfter(answer.header('retry-after'), Date.now());
    return { kind: 'retry', reason: said(answer, message), askedMs };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { kind: 'retry', reason: error.message };
  }
}

async function judge(answer: HttpResponse, events: number, telemetry: ExportTelemetry): Promise<DeliveryResult> {
  const { rejected, message } = await parseExportResponse(answer, events);
  if (isSuccess(answer)) {
    telemetry.countAttempt('success');
    telemetry.countSent(events - rejected);
    if (rejected > 0)
      telemetry.countDropped(rejected, `the server took the request and rejected some of its records: ${message}`);
    telemetry.reportHealthy();
    return 'done';
  }
  telemetry.countAttempt('failure');
  if (answer.status === TOO_LARGE && events > 1) return 'divide';
  // What is never taken would keep back everything behind it for ever.
  return passOver(events, said(answer, message), telemetry);
}

function passOver(events: number, reason: string, telemetry: ExportTelemetry): DeliveryResult {
  telemetry.reportFailing(reason);
  telemetry.countDropped(events, reason);
  return 'done';
}

function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

function said({ status }: HttpResponse, message: string): string {
  return message === '' ? `the server answered ${status}` : `the server answered ${status}: ${message}`;
}
