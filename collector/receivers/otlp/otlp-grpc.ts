import type { Metadata, ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import { parseEndpoint } from '../../../config/endpoint.js';
import type { OtlpGrpcSettings } from '../../../config/settings.js';
import { parseSize } from '../../../config/size.js';
import type { Fault } from '../../../core/event/fault.js';
import { endpointText, endpointUrl } from '../../http/addresses.js';
import { type Authenticator, countRefusals, type FindAuthenticator } from '../../http/authenticator.js';
import type { Certificates } from '../../http/certificates.js';
import { EndpointGuard } from '../../http/endpoint-guard.js';
import { statusOf } from '../../http/fault-status.js';
import { toFault } from '../../http/problem.js';
import type { SocketPool } from '../../http/socket-pool.js';
import { TlsFront } from '../../http/tls-front.js';
import { TlsRefusals } from '../../http/tls-refusals.js';
import type { ReceiverAccount } from '../../telemetry/ledger.js';
import type { Counter, Meters } from '../../telemetry/meters.js';
import type { RequestCounter } from '../../telemetry/request-counter.js';
import { createHeldBytes } from '../held-bytes.js';
import { encodeExportAnswer } from './export-answer.js';
import { boundsInterceptor } from './grpc-bounds.js';
import { type GrpcAnswerer, GrpcConnections } from './grpc-connections.js';
import { grpcFaultOf } from './grpc-fault.js';
import { loadGrpcServer } from './grpc-server.js';
import { tokenInterceptor } from './grpc-token.js';
import { GrpcWatch } from './grpc-watch.js';
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
  readonly meters: Meters;
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
const STATUS_DETAILS = 'grpc-status-details-bin';

/**
 * OTLP over gRPC, on a server of its own: `start` once, then `shutdown` once. The library is loaded by the first connection.
 */
export class OtlpGrpc {
  readonly #options: OtlpGrpcOptions;
  readonly #held: { take(bytes: number): void; give(bytes: number): void };
  readonly #maxBytes: number;
  readonly #guard: EndpointGuard;
  readonly #watch: GrpcWatch;
  readonly #connections: GrpcConnections;
  readonly #caller: Authenticator | undefined;

  constructor(options: OtlpGrpcOptions) {
    this.#options = options;
    this.#caller = countRefusals(options.authenticatorOf(options.settings.auth), options.unauthorized);
    this.#maxBytes = parseSize(options.settings.max_recv_msg_size);
    const { settings, meters } = options;
    const endpoint = parseEndpoint(settings.endpoint);
    const maxHeldBytes = LARGEST_MESSAGES_HELD * this.#maxBytes;
    this.#held = createHeldBytes(maxHeldBytes);
    this.#guard = new EndpointGuard(endpointText(endpoint), meters, settings.connections);
    this.#watch = new GrpcWatch({ guard: this.#guard, maxHeldBytes });
    this.#connections = new GrpcConnections({
      endpoint,
      owner: options.id,
      sockets: options.sockets,
      guard: this.#guard,
      watch: this.#watch,
      openTls: () => this.#openTls(endpointText(endpoint)),
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

  async #openTls(endpoint: string): Promise<TlsFront | undefined> {
    const { id, certificates, settings, meters, logger } = this.#options;
    const { tls } = settings;
    if (tls === undefined) return undefined;
    const refusals = new TlsRefusals({ endpoint, meters, logger });
    return new TlsFront({
      certificate: await certificates.open(id, tls),
      wantsClientCertificate: tls.client_ca_file !== undefined,
      protocols: ['h2'],
      handshakeTimeoutMs: this.#guard.times.headersMs,
      onRefused: (refusal) => refusals.tell(refusal),
    });
  }

  #load(): Promise<GrpcAnswerer> {
    const caller = this.#caller;
    const onRefused = (fault: Fault): void => this.#options.requests.answered(statusOf(fault));
    const bounds = { guard: this.#guard, watch: this.#watch, onRefused };
    return loadGrpcServer<OtlpSignal>({
      methods: PATHS,
      maxMessageBytes: this.#maxBytes,
      maxConcurrentCalls: MAX_CONCURRENT_STREAMS,
      idleMs: this.#guard.times.idleMs,
      interceptors: (grpc) => [
        boundsInterceptor(grpc, bounds),
        ...(caller === undefined ? [] : [tokenInterceptor(grpc, caller)]),
      ],
      handle: (...call) => void this.#answer(...call),
    });
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
