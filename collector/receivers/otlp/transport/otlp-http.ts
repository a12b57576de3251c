import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type RequestHandler } from 'express';
import { parseSize } from '../../../../config/values/size.js';
import type { Fault } from '../../../../core/event/fault.js';
import type { OtlpHttpSettings } from '../../../../generated/settings.js';
import type { Internal } from '../../../component/built-in.js';
import { HeldBody, type RequestMemory } from '../../../component/ingest-memory.js';
import type { EndpointRoutes } from '../../../http/endpoint-routes.js';
import { type TokenAccess, tokenCheck } from '../../../http/endpoints/access-rule.js';
import { createCorsPolicy } from '../../../http/endpoints/cors-policy.js';
import { senderOrigin } from '../../../http/endpoints/sender-origin.js';
import { literalPath } from '../../../http/endpoints/served-path.js';
import { methodNotAllowed, RequestFault, statusOf } from '../../../http/messages/http-fault.js';
import { faultHeaders, toFault } from '../../../http/messages/problem.js';
import { type BodyLimits, discardBody, readBody } from '../../../http/messages/read-body.js';
import { sendEarly, sendJson } from '../../../http/messages/respond.js';
import { allow } from '../../../http/middleware/allow.js';
import { answerFaults } from '../../../http/middleware/send-problem.js';
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

interface OtlpHttpOptions extends Pick<Internal, 'authenticatorOf' | 'ingest'> {
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

/** Creates the routes of all signals; those of signals that are dropped yield to other components. */
export function createOtlpRoutes(options: OtlpHttpOptions): readonly EndpointRoutes[] {
  const { settings, authenticatorOf, stallTimeoutMs } = options;
  const { endpoint, allowed_hosts: allowedHosts, tls, connections } = settings;
  const cors = createCorsPolicy(settings.cors, { headers: PAGE_HEADERS, exposed: ['retry-after'] });
  const caller = authenticatorOf(settings.auth);
  const limits = { maxBodyBytes: parseSize(settings.max_request_body_size), stallTimeoutMs };
  const access: TokenAccess = { kind: 'token', scope: 'ingest', refusalOf: tokenCheck(caller), cors };
  const hasToken = caller !== undefined;
  const failures = createOtlpRouter(access, [
    [settings.logs_url_path, handlerOf('logs', options, limits, hasToken)],
    [settings.traces_url_path, handlerOf('traces', options, limits, hasToken)],
  ]);
  const dropped = createOtlpRouter(
    access,
    DROPPED_SIGNALS.map(({ signal, path }) => [path, dropperOf(signal, options, limits)] as const),
  );
  const common = { endpoint, allowedHosts, transport: { tls, connections } };
  return [
    { ...common, router: failures },
    { ...common, router: dropped, yields: true },
  ];
}

/** Takes each path with and without a slash at the end. Also the refusal of another method has the format of the protocol. */
function createOtlpRouter(access: TokenAccess, handlers: readonly (readonly [path: string, RequestHandler])[]) {
  const router = express.Router({ caseSensitive: true, strict: true });
  for (const [path, handler] of handlers) {
    router
      .route([path, path.endsWith('/') ? path.slice(0, -1) : `${path}/`].map(literalPath))
      .all(...allow(access))
      .post(handler)
      .all((request) => {
        throw methodNotAllowed(request.method, METHODS);
      });
  }
  router.use(answerFaults(sendOtlpFault));
  return router;
}

function dropperOf(signal: DroppedSignal, { signals }: OtlpHttpOptions, limits: BodyLimits): RequestHandler {
  return async (request, response) => {
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
): RequestHandler {
  return async (request, response) => {
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
