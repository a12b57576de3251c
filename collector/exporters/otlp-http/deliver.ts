import { Fault } from '../../../core/event/fault.js';
import { isJsonObject } from '../../../core/event/json.js';
import type { FollowedEvent } from '../../../core/storage/following/record-follower.js';
import {
  bytes,
  decodeFields,
  decodeMessage,
  openProtobufReader,
  type ProtobufFields,
  varint,
} from '../../otlp/protobuf-reader.js';
import type { ExportTelemetry } from '../sending/export-telemetry.js';
import type { HttpClient, HttpResponse } from '../sending/http-client.js';
import type { DeliveryResult } from '../sending/record-sender.js';
import { type Attempt, type Backoff, parseRetryAfter, retrying } from '../sending/retrying.js';
import { visible } from '../sending/visible.js';
import { type EncodedRequest, encodeRequest, type RequestForm } from './encode-request.js';

interface ServerMessage {
  /** Records that a successful response rejected. */
  readonly rejected: number;
  /** For people: bounded, without control characters; may be empty. */
  readonly message: string;
}

type Draft = { -readonly [Key in keyof ServerMessage]: ServerMessage[Key] };

const MESSAGE = bytes<Draft>((draft, reader) => {
  draft.message = reader.string();
});
const REJECTED = varint<Draft>((draft, reader) => {
  draft.rejected = Number(String(reader.int64()));
});

/** ExportLogsPartialSuccess. */
const PARTIAL_SUCCESS: ProtobufFields<Draft> = { 1: REJECTED, 2: MESSAGE };

/** ExportLogsServiceResponse. */
const EXPORT_RESPONSE: ProtobufFields<Draft> = {
  1: bytes((draft, reader) => decodeMessage(reader, PARTIAL_SUCCESS, draft)),
};

/** google.rpc.Status. */
const STATUS: ProtobufFields<Draft> = { 2: MESSAGE };

const NOTHING: ServerMessage = { rejected: 0, message: '' };

export interface DeliverOptions extends RequestForm {
  readonly client: Pick<HttpClient, 'post'>;
  readonly telemetry: ExportTelemetry;
  readonly beginBackoff: () => Backoff;
  /** Ends retries. */
  readonly stop: AbortSignal;
  /** Ends a running request. */
  readonly abort: AbortSignal;
}

/** Statuses about the content of the request. Others, about a token or an address for example, are retried until the operator fixes them. */
const PERMANENT_STATUSES: ReadonlySet<number> = new Set([400, 413, 415, 422]);
const TOO_LARGE = 413;

/** Sends events as one request and retries it while that can help. */
export async function deliverEvents(
  events: readonly FollowedEvent[],
  options: DeliverOptions,
): Promise<DeliveryResult> {
  const { telemetry, stop, beginBackoff } = options;
  const request = await encodeRequest(events, options);
  if (request === undefined) {
    if (events.length > 1) return 'divide';
    telemetry.countDropped(1, 'it could not be encoded as a log record');
    return 'done';
  }
  const onRetry = (reason: string): void => {
    telemetry.countAttempt('retry');
    telemetry.reportFailing(reason);
  };
  const outcome = await retrying(() => attempt(request, options), beginBackoff(), stop, onRetry);
  if (outcome.kind === 'completed') return await handleResponse(outcome.result, events.length, telemetry);
  if (outcome.kind === 'stopped') return 'stopped';
  telemetry.countAttempt('failure');
  return drop(events.length, outcome.reason, telemetry);
}

async function attempt(
  { body, headers }: EncodedRequest,
  { client, telemetry, abort }: DeliverOptions,
): Promise<Attempt<HttpResponse>> {
  try {
    const response = await telemetry.trackInFlight(() => client.post(body, headers, abort));
    if (isSuccess(response) || PERMANENT_STATUSES.has(response.status)) return { kind: 'completed', result: response };
    const { message } = await parseExportResponse(response, 0);
    const retryAfterMs = parseRetryAfter(response.header('retry-after'), Date.now());
    return { kind: 'retry', reason: describeFailure(response, message), retryAfterMs };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { kind: 'retry', reason: error.message };
  }
}

async function handleResponse(
  response: HttpResponse,
  events: number,
  telemetry: ExportTelemetry,
): Promise<DeliveryResult> {
  const { rejected, message } = await parseExportResponse(response, events);
  if (isSuccess(response)) {
    telemetry.countAttempt('success');
    telemetry.countSent(events - rejected);
    if (rejected > 0) telemetry.countDropped(rejected, `the server rejected some records of the request: ${message}`);
    telemetry.reportHealthy();
    return 'done';
  }
  telemetry.countAttempt('failure');
  if (response.status === TOO_LARGE && events > 1) return 'divide';
  // An event that the server never accepts must not block later ones.
  return drop(events, describeFailure(response, message), telemetry);
}

function drop(events: number, reason: string, telemetry: ExportTelemetry): DeliveryResult {
  telemetry.reportFailing(reason);
  telemetry.countDropped(events, reason);
  return 'done';
}

function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

function describeFailure({ status }: HttpResponse, message: string): string {
  return message === '' ? `the server answered ${status}` : `the server answered ${status}: ${message}`;
}

/** Parses the body of a response; in an unknown format `rejected` is 0. `sent`: records of the request. */
async function parseExportResponse(response: HttpResponse, sent: number): Promise<ServerMessage> {
  const { body } = response;
  const type = response.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  const isAccepted = isSuccess(response);
  if (body.length === 0) return NOTHING;
  const draft: Draft = { rejected: 0, message: '' };
  try {
    if (type === 'application/x-protobuf') {
      decodeFields(await openProtobufReader(body), isAccepted ? EXPORT_RESPONSE : STATUS, draft);
    } else if (type === 'application/json') readJson(JSON.parse(body.toString('utf8')), isAccepted, draft);
    else if (!isAccepted) draft.message = body.toString('utf8');
  } catch {
    // Malformed, or cut at the body limit: only the status counts.
    return { rejected: 0, message: isAccepted ? '' : visible(body.toString('utf8')) };
  }
  const { rejected, message } = draft;
  const isCount = Number.isSafeInteger(rejected) && rejected > 0;
  return { rejected: isCount ? Math.min(rejected, sent) : 0, message: visible(message.trim()) };
}

function readJson(body: unknown, isSuccess: boolean, draft: Draft): void {
  if (!isJsonObject(body)) return;
  const result = isSuccess ? (body['partialSuccess'] ?? body['partial_success']) : body;
  if (!isJsonObject(result)) return;
  const message = isSuccess ? (result['errorMessage'] ?? result['error_message']) : result['message'];
  draft.rejected = isSuccess ? Number(result['rejectedLogRecords'] ?? result['rejected_log_records'] ?? 0) : 0;
  if (typeof message === 'string') draft.message = message;
}
