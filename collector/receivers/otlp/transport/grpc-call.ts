import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { quoted } from '../../../../config/values/printable.js';
import { Fault } from '../../../../core/event/fault.js';
import { statusOf } from '../../../http/messages/fault-status.js';
import { RequestFault } from '../../../http/messages/http-fault.js';
import { encodeBytesField, encodeStatus, rpcCodeOf } from '../../../otlp/responses.js';
import { type MessageLimits, readGrpcMessage } from './grpc-message.js';

const HEADERS = {
  ':status': 200,
  'content-type': 'application/grpc+proto',
  'grpc-encoding': 'identity',
  'grpc-accept-encoding': 'identity,deflate,gzip',
};
const TIMEOUT = /^(\d{1,8})([HMSmun])$/;
const UNIT_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };
/** A timer takes no more. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** One unary call of gRPC on its stream of HTTP/2, answered once: with a message, or with a fault. */
export class GrpcCall {
  readonly #stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;
  readonly #onEnd: (status: number | undefined) => void;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  #fault: Fault | undefined;

  /** `onEnd` hears once, with the status that HTTP has for the answer; undefined where the client left first. */
  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, onEnd: (status: number | undefined) => void) {
    this.#stream = stream;
    this.#headers = headers;
    this.#onEnd = onEnd;
    stream.on('error', () => undefined).once('close', () => this.#end(undefined));
  }

  get path(): string {
    return this.#headers[':path'] ?? '';
  }

  /** Metadata `authorization`. */
  get authorization(): string | undefined {
    return this.#headers.authorization;
  }

  /** Whether it was answered, or its client left. */
  get isOver(): boolean {
    return this.#isOver || this.#stream.closed || this.#stream.destroyed;
  }

  /** What it was answered with, where that was a fault. */
  get fault(): Fault | undefined {
    return this.#fault;
  }

  /** Answers after the time that the client gives it (`grpc-timeout`). Throws `CONTENT_TYPE_UNSUPPORTED` and `GRPC_TIMEOUT_INVALID`. */
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

  /** Throws as `readMessage`. */
  readMessage(limits: Omit<MessageLimits, 'encoding'>): Promise<Buffer> {
    const encoding = String(this.#headers['grpc-encoding'] ?? 'identity');
    return readGrpcMessage(this.#stream, { ...limits, encoding });
  }

  /** Nothing happens to a call that is over; so it is with `fail`. */
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

  /** What still arrives of the message is thrown away. */
  fail(fault: Fault): void {
    if (this.isOver) return;
    this.#fault = fault;
    this.#end(statusOf(fault));
    const { code, details, statusDetails } = grpcFaultOf(fault);
    const status = {
      'grpc-status': code,
      // Lone surrogates, which encodeURI throws on, become U+FFFD.
      'grpc-message': encodeURI(Buffer.from(details).toString()),
      'grpc-status-details-bin': statusDetails.toString('base64'),
    };
    // Only of a client that does not speak gRPC is the status of HTTP another one.
    const httpStatus = fault.code === 'CONTENT_TYPE_UNSUPPORTED' ? 415 : 200;
    this.#stream.respond({ ...HEADERS, ...status, ':status': httpStatus }, { endStream: true });
    if (!this.#stream.readableEnded) this.#stream.close(constants.NGHTTP2_NO_ERROR);
  }

  #end(status: number | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#onEnd(status);
  }
}

/** What a failed call is answered with. */
interface GrpcFault {
  readonly code: number;
  readonly details: string;
  /** Value of `grpc-status-details-bin`. */
  readonly statusDetails: Buffer;
}

const RETRY_INFO_URL = 'type.googleapis.com/google.rpc.RetryInfo';
/** More is not worth saying. */
const MAX_RETRY_SECONDS = 127;

/** Field 3 of google.rpc.Status: an Any with a type and a value, RetryInfo: field 1 is a Duration, whose field 1 are the seconds. */
function retryDetail(seconds: number): Uint8Array {
  const retryInfo = Buffer.from([0x0a, 0x02, 0x08, Math.min(seconds, MAX_RETRY_SECONDS)]);
  return encodeBytesField(
    3,
    Buffer.concat([encodeBytesField(1, Buffer.from(RETRY_INFO_URL)), encodeBytesField(2, retryInfo)]),
  );
}

/** Seconds after which a call may be tried again; undefined where clients are not to try. */
function retrySeconds(fault: Fault): number | undefined {
  if (fault instanceof RequestFault && fault.headers['retry-after'] !== undefined) {
    return Number(fault.headers['retry-after']);
  }
  return fault.retryable ? 1 : undefined;
}

/** The answer to a failed call: clients try again what has RetryInfo, after the seconds that it names, and nothing else. What is retryable always has it. */
function grpcFaultOf(fault: Fault): GrpcFault {
  const code = rpcCodeOf(fault);
  const status = Buffer.from(encodeStatus('protobuf', code, fault.message));
  const seconds = retrySeconds(fault);
  const parts = seconds === undefined ? [status] : [status, retryDetail(seconds)];
  return { code, details: fault.message, statusDetails: Buffer.concat(parts) };
}
