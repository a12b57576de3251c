import { Fault } from '../../../core/event/fault.js';
import { isJsonObject } from '../../../core/event/json.js';
import type { FollowedEvent } from '../../../core/storage/following/record-follower.js';
import type { ExporterStats } from '../../../generated/reader-answers.js';
import type { OtlpHttpExporterSettings } from '../../../generated/settings.js';
import type { ExporterFactory, FollowingExporter, Internal } from '../../component/built-in.js';
import {
  bytes,
  decodeFields,
  decodeMessage,
  openProtobufReader,
  type ProtobufFields,
  varint,
} from '../../otlp/protobuf-reader.js';
import type { ExportTelemetry } from '../sending/export-telemetry.js';
import { type FollowedStore, StoreSender } from '../sending/follow-store.js';
import { HttpClient, type HttpResponse } from '../sending/http-client.js';
import type { DeliveryResult } from '../sending/record-sender.js';
import { type Attempt, beginBackoff, parseRetryAfter, retrying } from '../sending/retrying.js';
import { visible } from '../sending/visible.js';
import { type EncodedRequest, encodeRequest } from './encode-request.js';

interface DeliverOptions {
  readonly settings: OtlpHttpExporterSettings;
  readonly client: HttpClient;
  /** Its `stop` ends retries, and its `abort` a running request. */
  readonly sender: StoreSender;
}

/** Exporter `otlp_http`: events as OpenTelemetry logs. */
export const otlpHttpExporter: ExporterFactory<OtlpHttpExporterSettings> = {
  stability: 'alpha',
  signals: ['logs'],
  create: (settings, { id, internal }) => new OtlpHttpExporter(id, settings, internal),
};

/** Its id also names its cursor. */
export class OtlpHttpExporter implements Required<Omit<FollowingExporter, 'actions'>> {
  readonly destination: string;
  readonly #id: string;
  readonly #settings: OtlpHttpExporterSettings;
  readonly #url: URL;
  readonly #sender: StoreSender;
  #client: HttpClient | undefined;

  constructor(
    id: string,
    settings: OtlpHttpExporterSettings,
    {
      store,
      meters,
      states,
      logger,
    }: Pick<Internal, 'meters' | 'states' | 'logger'> & { readonly store: FollowedStore },
  ) {
    this.#id = id;
    this.#settings = settings;
    this.#url = urlOf(settings);
    this.destination = `${this.#url.origin}${this.#url.pathname}`;
    const about = { id, destination: this.destination, meters, states, logger };
    this.#sender = new StoreSender({ ...about, store, queue: settings.sending_queue, isDurable: true });
  }

  stats(): ExporterStats {
    return this.#sender.telemetry.stats();
  }

  /** Faults `TLS_UNREADABLE`, `FOLLOWER_EXISTS`. */
  async start(): Promise<void> {
    const client = await HttpClient.open(this.#id, this.#settings, this.#url);
    this.#client = client;
    const options = { settings: this.#settings, client, sender: this.#sender };
    await this.#sender.start((events) => deliverEvents(events, options));
  }

  async shutdown(): Promise<void> {
    await this.#sender.shutdown();
    this.#client?.close();
  }
}

function urlOf({ endpoint, logs_endpoint: logsEndpoint }: OtlpHttpExporterSettings): URL {
  if (logsEndpoint !== undefined) return new URL(logsEndpoint);
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/logs`;
  return url;
}

interface ServerMessage {
  /** Records that a successful response rejected. */
  rejected: number;
  /** For people: bounded, without control characters; may be empty. */
  message: string;
}

const MESSAGE = bytes<ServerMessage>((draft, reader) => {
  draft.message = reader.string();
});
const REJECTED = varint<ServerMessage>((draft, reader) => {
  draft.rejected = Number(String(reader.int64()));
});

/** ExportLogsPartialSuccess. */
const PARTIAL_SUCCESS: ProtobufFields<ServerMessage> = { 1: REJECTED, 2: MESSAGE };

/** ExportLogsServiceResponse. */
const EXPORT_RESPONSE: ProtobufFields<ServerMessage> = {
  1: bytes((draft, reader) => decodeMessage(reader, PARTIAL_SUCCESS, draft)),
};

/** google.rpc.Status. */
const STATUS: ProtobufFields<ServerMessage> = { 2: MESSAGE };

/** Statuses about the content of the request. Others, about a token or an address for example, are retried until the operator fixes them. */
const PERMANENT_STATUSES: ReadonlySet<number> = new Set([400, 413, 415, 422]);
const TOO_LARGE = 413;

/** Sends events as one request and retries it while that can help. */
async function deliverEvents(events: readonly FollowedEvent[], options: DeliverOptions): Promise<DeliveryResult> {
  const { telemetry, stop } = options.sender;
  const request = await encodeRequest(events, options.settings);
  if (request === undefined) {
    if (events.length > 1) return 'divide';
    telemetry.countDropped(1, 'it could not be encoded as a log record');
    return 'done';
  }
  const onRetry = (reason: string): void => {
    telemetry.countAttempt('retry');
    telemetry.reportFailing(reason);
  };
  const backoff = beginBackoff(options.settings.retry_on_failure);
  const outcome = await retrying(() => attempt(request, options), backoff, stop, onRetry);
  if (outcome.kind === 'completed') return await handleResponse(outcome.result, events.length, telemetry);
  if (outcome.kind === 'stopped') return 'stopped';
  telemetry.countAttempt('failure');
  return drop(events.length, outcome.reason, telemetry);
}

async function attempt(
  { body, headers }: EncodedRequest,
  { client, sender: { telemetry, abort } }: DeliverOptions,
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
  const draft = { rejected: 0, message: '' };
  if (body.length === 0) return draft;
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

function readJson(body: unknown, isSuccess: boolean, draft: ServerMessage): void {
  if (!isJsonObject(body)) return;
  const result = isSuccess ? (body['partialSuccess'] ?? body['partial_success']) : body;
  if (!isJsonObject(result)) return;
  const message = isSuccess ? (result['errorMessage'] ?? result['error_message']) : result['message'];
  draft.rejected = isSuccess ? Number(result['rejectedLogRecords'] ?? result['rejected_log_records'] ?? 0) : 0;
  if (typeof message === 'string') draft.message = message;
}
