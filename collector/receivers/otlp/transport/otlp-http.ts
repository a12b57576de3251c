import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseSize } from '../../../../config/values/size.js';
import type { Fault } from '../../../../core/event/fault.js';
import { hasCode } from '../../../../core/storage/files/system-error.js';
import type { OtlpHttpSettings } from '../../../../generated/settings.js';
import type { Internal } from '../../../component/built-in.js';
import { HeldBody, type RequestMemory } from '../../../component/ingest-memory.js';
import { type TokenAccess, tokenCheck } from '../../../http/endpoints/access-rule.js';
import { methodNotAllowed, RequestFault, statusOf } from '../../../http/messages/http-fault.js';
import { faultHeaders, toFault } from '../../../http/messages/problem.js';
import { type BodyLimits, discardBody, readBody } from '../../../http/messages/read-body.js';
import { createCorsPolicy, senderOrigin } from '../../../http/messages/request-guard.js';
import { sendEarly, sendJson } from '../../../http/messages/respond.js';
import type { HttpMount, RawHandler } from '../../../http/server/http-mount.js';
import type { OtlpEncoding } from '../../../otlp/otlp-records.js';
import { encodeExportResponse, encodeStatus, rpcCodeOf } from '../../../otlp/responses.js';
import type { ReceiverAccount } from '../../../telemetry/ledger.js';
import type { OtlpSignal } from '../decode/otlp-failure.js';
import type { OtlpRequest } from '../decode/read-failures.js';
import type { AcceptedRequest, OtlpIntake } from '../intake/otlp-intake.js';
import { DROPPED_SIGNALS, type DroppedSignal, type DroppedSignals } from './dropped-signals.js';

const MEDIA_TYPES: Readonly<Record<OtlpEncoding, string>> = {
  json: 'application/json',
  protobuf: 'application/x-protobuf',
};
const ENCODINGS: readonly OtlpEncoding[] = ['json', 'protobuf'];

/** zlib's own message. */
const NO_HEADER = 'incorrect header check';

/** Sends a google.rpc.Status in the encoding of the request, default JSON. */
function sendOtlpFault(request: IncomingMessage, response: ServerResponse, fault: Fault): void {
  const encoding = encodingOf(request) ?? 'json';
  const body = encodeStatus(encoding, rpcCodeOf(fault), statusMessage(fault));
  sendEarly(request, response, statusOf(fault), body, {
    'content-type': MEDIA_TYPES[encoding],
    ...faultHeaders(fault),
  });
}

/** Uncompressed data gets the Collector's message. */
function statusMessage({ code, message, cause }: Fault): string {
  return code === 'BODY_COMPRESSION_INVALID' && String(cause).includes(NO_HEADER) ? 'gzip: invalid header' : message;
}

interface OtlpHttpOptions extends Pick<Internal, 'servers' | 'authenticatorOf' | 'ingest'> {
  readonly id: string;
  readonly settings: OtlpHttpSettings;
  readonly account: ReceiverAccount;
  readonly intake: OtlpIntake;
  readonly signals: DroppedSignals;
  /** Maximum pause within a body, milliseconds. */
  readonly stallTimeoutMs: number;
}

const METHODS = ['POST'];
/** Request headers of browser SDKs. */
const PAGE_HEADERS = ['authorization', 'traceparent', 'tracestate', 'x-requested-with'];

/** Registers the routes of all signals on a mount that is not open yet. Throws `ROUTE_TAKEN`. */
export function createOtlpHttpMount(options: OtlpHttpOptions): HttpMount {
  const { id, settings, servers, authenticatorOf, stallTimeoutMs } = options;
  const cors = createCorsPolicy(settings.cors, { headers: PAGE_HEADERS, exposed: ['retry-after'] });
  const allowedHosts = settings.allowed_hosts;
  const caller = authenticatorOf(settings.auth);
  const mount = servers.mount(settings.endpoint, {
    component: id,
    allowedHosts,
    sendFault: sendOtlpFault,
    transport: { tls: settings.tls, connections: settings.connections },
  });
  const limits = { maxBodyBytes: parseSize(settings.max_request_body_size), stallTimeoutMs };
  const access: TokenAccess = { kind: 'token', scope: 'ingest', refusalOf: tokenCheck(caller), cors };
  mount.route('*', settings.logs_url_path, access, handlerOf('logs', options, limits, caller !== undefined));
  mount.route('*', settings.traces_url_path, access, handlerOf('traces', options, limits, caller !== undefined));
  for (const { signal, path } of DROPPED_SIGNALS) routeDropped(mount, path, access, dropperOf(signal, options, limits));
  return mount;
}

/** Another receiver or setting of the endpoint may have the path. */
function routeDropped(mount: HttpMount, path: string, access: TokenAccess, handler: RawHandler): void {
  try {
    mount.route('*', path, access, handler);
  } catch (error) {
    if (!hasCode(error, 'ROUTE_TAKEN')) throw error;
  }
}

function dropperOf(signal: DroppedSignal, { signals }: OtlpHttpOptions, limits: BodyLimits): RawHandler {
  return async (request, response) => {
    if (request.method !== 'POST') throw methodNotAllowed(request.method, METHODS);
    signals.check(signal);
    const encoding = requiredEncoding(request);
    await discardBody(request, limits);
    signals.count(signal);
    sendJson(response, 200, encoding === 'json' ? '{}' : '', { 'content-type': MEDIA_TYPES[encoding] });
  };
}

function handlerOf(
  signal: OtlpSignal,
  { intake, ingest, account }: OtlpHttpOptions,
  limits: BodyLimits,
  hasToken: boolean,
): RawHandler {
  return async (request, response) => {
    if (request.method !== 'POST') throw methodNotAllowed(request.method, METHODS);
    const origin = senderOrigin(request.headers, request.socket.remoteAddress, hasToken);
    const held = ingest.begin();
    try {
      const received = await receive(request, limits, held, account);
      respond(response, signal, received.encoding, await intake.accept({ signal, origin, ...received }));
    } finally {
      held.releaseAll();
    }
  };
}

/** Reads the body. A failed read counts as one lost record. */
async function receive(
  request: IncomingMessage,
  limits: BodyLimits,
  held: RequestMemory,
  account: ReceiverAccount,
): Promise<Pick<OtlpRequest, 'encoding' | 'body'>> {
  try {
    const encoding = requiredEncoding(request);
    const body = new HeldBody(held);
    const onLength = (bytes: number): void => held.expect(bytes);
    await readBody(request, limits, (piece) => body.add(piece), { held, onLength });
    return { encoding, body: body.slice(0, body.bytes) };
  } catch (error) {
    const { code, retryable } = toFault(error);
    account.count(retryable ? 'refused' : 'rejected', code);
    throw error;
  }
}

function respond(
  response: ServerResponse,
  signal: OtlpSignal,
  encoding: OtlpEncoding,
  accepted: AcceptedRequest,
): void {
  if (response.destroyed || response.req.socket.destroyed) {
    accepted.undelivered();
    return;
  }
  response.once('close', () => {
    if (!response.writableFinished) accepted.undelivered();
  });
  const body = encodeExportResponse(signal, encoding, accepted.partial);
  sendJson(response, 200, body, { 'content-type': MEDIA_TYPES[encoding] });
}

function requiredEncoding(request: IncomingMessage): OtlpEncoding {
  const encoding = encodingOf(request);
  if (encoding !== undefined) return encoding;
  const sentence = 'the content type is not supported: send application/json or application/x-protobuf';
  throw new RequestFault('CONTENT_TYPE_UNSUPPORTED', sentence, {
    headers: { accept: Object.values(MEDIA_TYPES).join(', ') },
  });
}

/** Returns the encoding of the `Content-Type`, ignoring case and parameters; undefined for other types. */
function encodingOf({ headers }: IncomingMessage): OtlpEncoding | undefined {
  const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  return ENCODINGS.find((encoding) => MEDIA_TYPES[encoding] === mediaType);
}
