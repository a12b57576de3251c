import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { quoted } from '../../../../config/values/printable.js';
import { Fault } from '../../../../core/event/fault.js';
import { ACCEPTED_ENCODINGS } from '../../../http/decompression/content-encodings.js';
import { RequestFault, statusOf } from '../../../http/messages/http-fault.js';
import { encodeBytesField, encodeStatus, rpcCodeOf } from '../../../otlp/responses.js';
import { type MessageLimits, messageTooLarge, readGrpcMessage } from './grpc-message.js';

const HEADERS = {
  ':status': 200,
  'content-type': 'application/grpc+proto',
  'grpc-encoding': 'identity',
  'grpc-accept-encoding': `identity, ${ACCEPTED_ENCODINGS}`.replaceAll(' ', ''),
};
const TIMEOUT = /^(\d{1,8})([HMSmun])$/;
const UNIT_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };
/** The limit of Node's timers. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A unary gRPC call on an HTTP/2 stream. It has one response: a message or a fault. */
export class GrpcCall {
  readonly #stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;
  readonly #onEnd: (status: number | undefined) => void;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  fault: Fault | undefined;

  /** `onEnd` is called once with the HTTP status of the response; undefined if the client disconnected first. */
  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, onEnd: (status: number | undefined) => void) {
    this.#stream = stream;
    this.#headers = headers;
    this.#onEnd = onEnd;
    stream.on('error', () => undefined).once('close', () => this.#end(undefined));
  }

  get path(): string {
    return this.#headers[':path'] ?? '';
  }

  /** The client's address. */
  get peer(): string | undefined {
    return this.#stream.session?.socket.remoteAddress;
  }

  get headers(): IncomingHttpHeaders {
    return this.#headers;
  }

  /** Whether it has a response, or its client disconnected. */
  get isOver(): boolean {
    return this.#isOver || this.#stream.closed || this.#stream.destroyed;
  }

  /** Starts the timer of `grpc-timeout`. Throws `CONTENT_TYPE_UNSUPPORTED` and `GRPC_TIMEOUT_INVALID`. */
  begin(): void {
    if (this.#headers['content-type']?.startsWith('application/grpc') !== true) {
      throw new Fault('CONTENT_TYPE_UNSUPPORTED', 'this endpoint speaks gRPC: the content type is application/grpc');
    }
    const timeout = this.#headers['grpc-timeout'];
    if (timeout === undefined) return;
    const [, amount, unit = ''] = TIMEOUT.exec(String(timeout)) ?? [];
    if (amount === undefined) {
      throw new Fault('GRPC_TIMEOUT_INVALID', `grpc-timeout ${quoted(String(timeout))} is not a time, such as 10S`);
    }
    const timeoutMs = Math.min(Number(amount) * (UNIT_MS[unit] ?? 0), LONGEST_TIMER_MS);
    const late = new Fault('GRPC_DEADLINE_EXCEEDED', 'the call took longer than its grpc-timeout');
    this.#timer = setTimeout(() => this.fail(late), timeoutMs);
  }

  /** Throws as `readGrpcMessage`. */
  readMessage(limits: Omit<MessageLimits, 'encoding'>): Promise<Buffer> {
    const encoding = String(this.#headers['grpc-encoding'] ?? 'identity');
    return readGrpcMessage(this.#stream, { ...limits, encoding });
  }

  /** Reads the message and drops it. Throws `BODY_TOO_LARGE`. */
  async discardMessage(maxBytes: number): Promise<void> {
    let bytes = 0;
    for await (const chunk of this.#stream.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw messageTooLarge(maxBytes);
    }
  }

  /** Like `fail`, does nothing if the call is over. */
  respond(message: Uint8Array): void {
    if (this.isOver) return;
    this.#end(200);
    const frame = Buffer.alloc(5 + message.length);
    frame.writeUInt32BE(message.length, 1);
    frame.set(message, 5);
    this.#stream.respond(HEADERS, { waitForTrailers: true });
    this.#stream.once('wantTrailers', () => this.#stream.sendTrailers({ 'grpc-status': '0' }));
    this.#stream.end(frame);
  }

  /** The rest of the message is discarded. */
  fail(fault: Fault): void {
    if (this.isOver) return;
    this.fault = fault;
    this.#end(statusOf(fault));
    const { code, details, statusDetails } = grpcFaultOf(fault);
    const status = {
      'grpc-status': code,
      // encodeURI throws on lone surrogates; Buffer replaces them by U+FFFD.
      'grpc-message': encodeURI(Buffer.from(details).toString()),
      'grpc-status-details-bin': statusDetails.toString('base64'),
    };
    // gRPC clients expect HTTP status 200.
    const httpStatus = fault.code === 'CONTENT_TYPE_UNSUPPORTED' ? 415 : 200;
    this.#stream.respond({ ...HEADERS, ...status, ':status': httpStatus }, { endStream: true });
    if (this.#stream.readableEnded) return;
    this.#stream.close(constants.NGHTTP2_NO_ERROR);
    // Otherwise it waits for a reader of the rest, and its connection does not close before.
    this.#stream.once('finish', () => this.#stream.destroy());
  }

  #end(status: number | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#onEnd(status);
  }
}

const RETRY_INFO_URL = 'type.googleapis.com/google.rpc.RetryInfo';
/** The largest varint of one byte. */
const MAX_RETRY_SECONDS = 127;

/** Encodes field 3 of google.rpc.Status: an Any with RetryInfo, whose field 1 is a Duration, whose field 1 is the seconds. */
function retryDetail(seconds: number): Uint8Array {
  const retryInfo = Buffer.from([0x0a, 0x02, 0x08, Math.min(seconds, MAX_RETRY_SECONDS)]);
  return encodeBytesField(
    3,
    Buffer.concat([encodeBytesField(1, Buffer.from(RETRY_INFO_URL)), encodeBytesField(2, retryInfo)]),
  );
}

/** Seconds before a retry; undefined if clients must not retry. */
function retrySeconds(fault: Fault): number | undefined {
  if (fault instanceof RequestFault && fault.headers['retry-after'] !== undefined) {
    return Number(fault.headers['retry-after']);
  }
  return fault.retryable ? 1 : undefined;
}

/** Clients retry only responses with RetryInfo, so every retryable fault has it. */
function grpcFaultOf(fault: Fault) {
  const code = rpcCodeOf(fault);
  const status = Buffer.from(encodeStatus('protobuf', code, fault.message));
  const seconds = retrySeconds(fault);
  const parts = seconds === undefined ? [status] : [status, retryDetail(seconds)];
  return { code, details: fault.message, statusDetails: Buffer.concat(parts) };
}
