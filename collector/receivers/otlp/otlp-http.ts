import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OtlpHttpSettings } from '../../../config/settings.js';
import { parseSize } from '../../../config/size.js';
import type { FindAuthenticator } from '../../http/authenticator.js';
import { createCorsPolicy } from '../../http/cors.js';
import type { HotHandler, HttpDoor } from '../../http/http-door.js';
import { methodNotAllowed } from '../../http/method-not-allowed.js';
import { toFault } from '../../http/problem.js';
import { type BodyLimits, readBody } from '../../http/read-body.js';
import { RequestFault } from '../../http/request-fault.js';
import { sendJson } from '../../http/respond.js';
import type { ServerPool } from '../../http/server-pool.js';
import type { ReceiverAccount } from '../../telemetry/ledger.js';
import { createHeldBytes, type HeldBytes } from '../held-bytes.js';
import { encodeExportAnswer } from './export-answer.js';
import { answerFault } from './http-fault-answer.js';
import type { OtlpSignal } from './otlp-failure.js';
import type { OtlpIntake, TakenRequest } from './otlp-intake.js';
import type { OtlpEncoding } from './otlp-records.js';
import { encodingOf, MEDIA_TYPES } from './request-encoding.js';

/** What OTLP over HTTP is built from. */
export interface OtlpHttpOptions {
  /** Component id of the receiver. */
  readonly id: string;
  readonly settings: OtlpHttpSettings;
  readonly servers: ServerPool;
  readonly authenticatorOf: FindAuthenticator;
  readonly account: ReceiverAccount;
  readonly intake: OtlpIntake;
  /** How long a sender may send nothing in the middle of a body, milliseconds. */
  readonly stallTimeoutMs: number;
}

/** How many bodies of the largest size are kept at a time. */
const LARGEST_BODIES_HELD = 4;
const METHODS = ['POST'];
/** Request headers that browser SDKs and their instrumentations set. */
const PAGE_HEADERS = ['authorization', 'traceparent', 'tracestate', 'x-requested-with'];

/** Takes the routes of both signals; the door is still closed. Throws `ROUTE_TAKEN`. */
export function createOtlpHttpDoor(options: OtlpHttpOptions): HttpDoor {
  const { id, settings, servers, authenticatorOf, stallTimeoutMs } = options;
  const cors = createCorsPolicy(settings.cors, { headers: PAGE_HEADERS, exposed: ['retry-after'] });
  const allowedHosts = settings.allowed_hosts;
  const caller = authenticatorOf(settings.auth);
  const door = servers.door(settings.endpoint, {
    component: id,
    allowedHosts,
    cors,
    answerFault,
    transport: { tls: settings.tls, connections: settings.connections },
    auth: ({ headers }) => caller?.refusalOf(headers.authorization),
  });
  const maxBodyBytes = parseSize(settings.max_request_body_size);
  const held = createHeldBytes(LARGEST_BODIES_HELD * maxBodyBytes);
  const limits = { maxBodyBytes, stallTimeoutMs };
  door.route('*', settings.logs_url_path, handlerOf('logs', options, limits, held));
  door.route('*', settings.traces_url_path, handlerOf('traces', options, limits, held));
  return door;
}

function handlerOf(
  signal: OtlpSignal,
  { intake, account }: OtlpHttpOptions,
  limits: BodyLimits,
  held: HeldBytes,
): HotHandler {
  return async (request, response) => {
    if (request.method !== 'POST') throw methodNotAllowed(request.method, METHODS);
    const pieces = new HeldPieces(held);
    try {
      const encoding = await receive(request, limits, pieces, account);
      const taken = await intake.take({ signal, encoding, body: pieces.whole() });
      answer(response, signal, encoding, taken);
    } finally {
      pieces.release();
    }
  };
}

/** Reads the body. What fails before it is whole counts as one record that was lost. */
async function receive(
  request: IncomingMessage,
  limits: BodyLimits,
  pieces: HeldPieces,
  account: ReceiverAccount,
): Promise<OtlpEncoding> {
  try {
    const encoding = encodingOf(request.headers['content-type']);
    if (encoding === undefined) throw contentTypeUnsupported();
    await readBody(request, limits, (piece) => pieces.add(piece));
    return encoding;
  } catch (error) {
    const { code, retryable } = toFault(error);
    account.lost(retryable ? 'refused' : 'rejected', code);
    throw error;
  }
}

function answer(response: ServerResponse, signal: OtlpSignal, encoding: OtlpEncoding, taken: TakenRequest): void {
  if (response.destroyed || response.req.socket.destroyed) {
    taken.undelivered();
    return;
  }
  response.once('close', () => {
    if (!response.writableFinished) taken.undelivered();
  });
  const body = encodeExportAnswer(signal, encoding, taken.partial);
  sendJson(response, 200, body, { 'content-type': MEDIA_TYPES[encoding] });
}

function contentTypeUnsupported(): RequestFault {
  const sentence = 'the content type is not supported: send application/json or application/x-protobuf';
  return new RequestFault('CONTENT_TYPE_UNSUPPORTED', sentence, {
    headers: { accept: Object.values(MEDIA_TYPES).join(', ') },
  });
}

/** A body as it arrives, counted among what the receiver holds. */
class HeldPieces {
  readonly #held: HeldBytes;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(held: HeldBytes) {
    this.#held = held;
  }

  /** Throws `RECEIVER_BUSY`. */
  add(piece: Buffer): void {
    this.#held.take(piece.length);
    this.#bytes += piece.length;
    this.#pieces.push(piece);
  }

  /** The body, once: its pieces are let go. */
  whole(): Buffer {
    const [first] = this.#pieces;
    const whole = first !== undefined && this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces, this.#bytes);
    this.#pieces = [];
    return whole;
  }

  release(): void {
    this.#held.give(this.#bytes);
    this.#bytes = 0;
  }
}
