import type { Metadata, ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import { parseEndpoint } from '../../../config/endpoint.js';
import type { OtlpGrpcSettings } from '../../../config/settings.js';
import { parseSize } from '../../../config/size.js';
import { endpointUrl } from '../../http/addresses.js';
import { type Authenticator, countRefusals, type FindAuthenticator } from '../../http/authenticator.js';
import type { Certificates } from '../../http/certificates.js';
import { statusOf } from '../../http/fault-status.js';
import { toFault } from '../../http/problem.js';
import type { SocketPool } from '../../http/socket-pool.js';
import { TlsFront } from '../../http/tls-front.js';
import type { ReceiverAccount } from '../../telemetry/ledger.js';
import type { Counter } from '../../telemetry/meters.js';
import type { RequestCounter } from '../../telemetry/request-counter.js';
import { createHeldBytes } from '../held-bytes.js';
import { encodeExportAnswer } from './export-answer.js';
import { type GrpcAnswerer, GrpcConnections } from './grpc-connections.js';
import { grpcFaultOf } from './grpc-fault.js';
import { tokenInterceptor } from './grpc-token.js';
import type { OtlpSignal } from './otlp-failure.js';
import type { OtlpIntake } from './otlp-intake.js';

/** What OTLP over gRPC is built from. */
export interface OtlpGrpcOptions {
  /** Component id of the receiver. */
  readonly id: string;
  readonly settings: OtlpGrpcSettings;
  readonly account: ReceiverAccount;
  readonly intake: OtlpIntake;
  readonly authenticatorOf: FindAuthenticator;
  readonly certificates: Certificates;
  readonly sockets: SocketPool;
  /** Counts calls without a valid token. */
  readonly unauthorized: Counter;
  /** Counts calls by what they were answered. */
  readonly requests: RequestCounter;
  readonly logger: Logger;
  /** How long running calls have at shutdown, milliseconds. */
  readonly drainMs: number;
}

const PATHS: readonly (readonly [OtlpSignal, string])[] = [
  ['logs', '/opentelemetry.proto.collector.logs.v1.LogsService/Export'],
  ['traces', '/opentelemetry.proto.collector.trace.v1.TraceService/Export'],
];
/** How many messages of the largest size are worked on at a time. */
const LARGEST_MESSAGES_HELD = 4;
/** Of one connection: messages are whole in memory before they are counted. */
const MAX_CONCURRENT_STREAMS = 100;
/** As the other endpoints have it by default. */
const HANDSHAKE_TIMEOUT_MS = 15_000;
const STATUS_DETAILS = 'grpc-status-details-bin';
const asItIs = (bytes: Buffer): Buffer => bytes;

/**
 * OTLP over gRPC, on a server of its own: `start` once, then `shutdown` once. The library is loaded by the first connection.
 */
export class OtlpGrpc {
  readonly #options: OtlpGrpcOptions;
  readonly #held: { take(bytes: number): void; give(bytes: number): void };
  readonly #maxBytes: number;
  readonly #connections: GrpcConnections;
  readonly #caller: Authenticator | undefined;

  constructor(options: OtlpGrpcOptions) {
    this.#options = options;
    this.#caller = countRefusals(options.authenticatorOf(options.settings.auth), options.unauthorized);
    this.#maxBytes = parseSize(options.settings.max_recv_msg_size);
    this.#held = createHeldBytes(LARGEST_MESSAGES_HELD * this.#maxBytes);
    this.#connections = new GrpcConnections({
      endpoint: parseEndpoint(options.settings.endpoint),
      owner: options.id,
      sockets: options.sockets,
      openTls: () => this.#openTls(),
      load: () => this.#load(),
      onFault: (error) => options.logger.warn({ err: error }, 'a gRPC connection was not answered'),
    });
  }

  /** With the real port once started, for example `grpc://localhost:4317`. */
  get url(): string {
    const { endpoint, tls } = this.#options.settings;
    const { host } = parseEndpoint(endpoint);
    return endpointUrl({ host, port: this.#connections.port }, tls === undefined ? 'grpc' : 'grpcs');
  }

  /** Throws `LISTEN_FAILED`, `TLS_FILE_UNREADABLE` and `TLS_FILE_INVALID`. */
  async start(): Promise<void> {
    await this.#connections.open();
  }

  /** Takes no new calls, answers the running ones, and cuts off what is left when the time is over. */
  async shutdown(): Promise<void> {
    await this.#connections.close(this.#options.drainMs);
  }

  async #openTls(): Promise<TlsFront | undefined> {
    const { id, certificates, settings } = this.#options;
    const { tls } = settings;
    if (tls === undefined) return undefined;
    return new TlsFront({
      certificate: await certificates.open(id, tls),
      wantsClientCertificate: tls.client_ca_file !== undefined,
      protocols: ['h2'],
      handshakeTimeoutMs: HANDSHAKE_TIMEOUT_MS,
    });
  }

  async #load(): Promise<GrpcAnswerer> {
    const grpc = await import('@grpc/grpc-js');
    // It prints to the terminal what it also throws.
    grpc.setLogVerbosity(grpc.logVerbosity.NONE);
    const server = new grpc.Server({
      'grpc.max_receive_message_length': this.#maxBytes,
      'grpc.max_send_message_length': this.#maxBytes,
      'grpc.max_concurrent_streams': MAX_CONCURRENT_STREAMS,
      interceptors: this.#caller === undefined ? [] : [tokenInterceptor(grpc, this.#caller)],
    });
    for (const [signal, path] of PATHS) {
      const handle = (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>): void => {
        void this.#answer(signal, call, answer, new grpc.Metadata());
      };
      server.register(path, handle, asItIs, asItIs, 'unary');
    }
    const injector = server.createConnectionInjector(grpc.ServerCredentials.createInsecure());
    return {
      take: (connection) => injector.injectConnection(connection),
      async close(timeoutMs) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs);
          server.tryShutdown(() => {
            clearTimeout(timer);
            resolve();
          });
        });
        server.forceShutdown();
      },
    };
  }

  async #answer(
    signal: OtlpSignal,
    call: ServerUnaryCall<Buffer, Buffer>,
    answer: sendUnaryData<Buffer>,
    metadata: Metadata,
  ): Promise<void> {
    try {
      const bytes = await this.#take(signal, call);
      this.#options.requests.answered(bytes === undefined ? undefined : 200);
      if (bytes !== undefined) answer(null, bytes);
    } catch (error) {
      const fault = toFault(error);
      this.#options.requests.answered(statusOf(fault));
      if (fault !== error || statusOf(fault) === 500) {
        this.#options.logger.error({ err: error, code: fault.code, method: call.getPath() }, 'a request failed');
      }
      const { code, details, statusDetails } = grpcFaultOf(fault);
      metadata.set(STATUS_DETAILS, statusDetails);
      answer({ code, details, metadata });
    }
  }

  /** Undefined when nobody waits for the answer any longer. */
  async #take(signal: OtlpSignal, call: ServerUnaryCall<Buffer, Buffer>): Promise<Buffer | undefined> {
    const body = call.request;
    this.#hold(body.length);
    try {
      const taken = await this.#options.intake.take({ signal, encoding: 'protobuf', body });
      if (!call.cancelled) return Buffer.from(encodeExportAnswer(signal, 'protobuf', taken.partial));
      taken.undelivered();
      return undefined;
    } finally {
      this.#held.give(body.length);
    }
  }

  #hold(bytes: number): void {
    try {
      this.#held.take(bytes);
    } catch (error) {
      this.#options.account.lost('refused', toFault(error).code);
      throw error;
    }
  }
}
