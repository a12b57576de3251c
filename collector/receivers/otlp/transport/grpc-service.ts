import { parseEndpoint } from '../../../../config/values/endpoint.js';
import { parseSize } from '../../../../config/values/size.js';
import { Fault } from '../../../../core/event/fault.js';
import type { OtlpGrpcSettings } from '../../../../generated/settings.js';
import type { ComponentContext } from '../../../component/component.js';
import type { RequestMemory } from '../../../component/ingest-memory.js';
import { EncodingRefusals } from '../../../http/decompression/encoding-refusals.js';
import { endpointText, endpointUrl } from '../../../http/endpoints/addresses.js';
import type { Authenticator } from '../../../http/messages/authenticator.js';
import { statusOf } from '../../../http/messages/fault-status.js';
import { toFault } from '../../../http/messages/problem.js';
import { EndpointLimits } from '../../../http/server/endpoint-limits.js';
import type { SocketPool } from '../../../http/server/socket-pool.js';
import type { Certificates } from '../../../http/tls/certificates.js';
import { TlsRefusals } from '../../../http/tls/tls-failure-log.js';
import { TlsTerminator } from '../../../http/tls/tls-terminator.js';
import { encodeExportResponse } from '../../../otlp/responses.js';
import type { ReceiverAccount, RequestCounter } from '../../../telemetry/ledger.js';
import type { Counter } from '../../../telemetry/meters.js';
import type { OtlpSignal } from '../decode/otlp-failure.js';
import type { OtlpIntake } from '../intake/otlp-intake.js';
import { DROPPED_SIGNALS, type DroppedSignal, type DroppedSignals } from './dropped-signals.js';
import type { GrpcCall } from './grpc-call.js';
import { GrpcConnections } from './grpc-connections.js';

interface OtlpGrpcOptions extends Pick<ComponentContext, 'ingest' | 'authenticatorOf' | 'meters' | 'logger'> {
  readonly id: string;
  readonly settings: OtlpGrpcSettings;
  readonly account: ReceiverAccount;
  readonly intake: OtlpIntake;
  readonly signals: DroppedSignals;
  readonly certificates: Certificates;
  readonly sockets: SocketPool;
  readonly unauthorized: Counter;
  readonly requests: RequestCounter;
  /** Time for running calls at shutdown, milliseconds. */
  readonly drainMs: number;
}

const SIGNALS: ReadonlyMap<string, OtlpSignal | DroppedSignal> = new Map<string, OtlpSignal | DroppedSignal>([
  ['/opentelemetry.proto.collector.logs.v1.LogsService/Export', 'logs'],
  ['/opentelemetry.proto.collector.trace.v1.TraceService/Export', 'traces'],
  ...DROPPED_SIGNALS.map(({ method, signal }) => [method, signal] as const),
]);

/** OTLP over gRPC, on a server of its own: `start` once, then `shutdown` once. */
export class OtlpGrpc {
  readonly #options: OtlpGrpcOptions;
  readonly #maxBytes: number;
  readonly #guard: EndpointLimits;
  readonly #connections: GrpcConnections;
  readonly #authenticator: Authenticator | undefined;
  readonly #encodings: EncodingRefusals;

  constructor(options: OtlpGrpcOptions) {
    this.#options = options;
    const { settings, meters } = options;
    this.#authenticator = options.authenticatorOf(settings.auth);
    this.#encodings = new EncodingRefusals(meters, options.logger);
    this.#maxBytes = parseSize(settings.max_recv_msg_size);
    const endpoint = parseEndpoint(settings.endpoint);
    this.#guard = new EndpointLimits(endpointText(endpoint), meters, settings.connections);
    this.#connections = new GrpcConnections({
      endpoint,
      sockets: options.sockets,
      guard: this.#guard,
      handle: (call, arrived) => this.#handle(call, arrived),
      onResponse: options.requests,
      openTls: () => this.#openTls(endpointText(endpoint)),
      onFault: (error) => options.logger.warn({ err: error }, 'a gRPC connection was not accepted'),
    });
  }

  /** With the real port after start, for example `grpc://localhost:4317`. */
  get url(): string {
    const { endpoint, tls } = this.#options.settings;
    const { host } = parseEndpoint(endpoint);
    return endpointUrl({ host, port: this.#connections.port }, tls === undefined ? 'grpc' : 'grpcs');
  }

  /** Throws `LISTEN_FAILED`, `TLS_FILE_UNREADABLE` and `TLS_FILE_INVALID`. */
  async start(): Promise<void> {
    await this.#connections.open();
  }

  /** Stops accepting, waits for running calls, and closes the rest after `drainMs`. */
  async shutdown(): Promise<void> {
    await this.#connections.close(this.#options.drainMs);
  }

  async #openTls(endpoint: string): Promise<TlsTerminator | undefined> {
    const { id, certificates, settings, meters, logger } = this.#options;
    const { tls } = settings;
    if (tls === undefined) return undefined;
    const refusals = new TlsRefusals({ endpoint, meters, logger });
    return new TlsTerminator({
      certificate: await certificates.open(id, tls),
      wantsClientCertificate: tls.client_ca_file !== undefined,
      protocols: ['h2'],
      handshakeTimeoutMs: this.#guard.times.headersMs,
      onRefused: (refusal) => refusals.report(refusal),
    });
  }

  async #handle(call: GrpcCall, arrived: () => void): Promise<void> {
    const held = this.#options.ingest.begin();
    try {
      const signal = this.#admit(call);
      if (signal === 'metrics' || signal === 'profiles') {
        await this.#drop(call, signal);
        return;
      }
      const body = await this.#receive(call, held);
      arrived();
      const accepted = await this.#options.intake.accept({ signal, encoding: 'protobuf', body });
      if (call.isOver) accepted.undelivered();
      else call.respond(Buffer.from(encodeExportResponse(signal, 'protobuf', accepted.partial)));
    } catch (error) {
      const fault = toFault(error);
      this.#encodings.report(this.#options.id, call.peer, fault);
      if (fault !== error || statusOf(fault) === 500) {
        this.#options.logger.error({ err: error, code: fault.code, method: call.path }, 'a request failed');
      }
      call.fail(fault);
    } finally {
      held.releaseAll();
    }
  }

  /** Returns the signal of the call. Throws `TOKEN_MISSING`, `TOKEN_WRONG`, `GRPC_METHOD_UNKNOWN` and as `GrpcCall.begin`. */
  #admit(call: GrpcCall): OtlpSignal | DroppedSignal {
    call.begin();
    const refusal = this.#authenticator?.refusalOf(call.authorization);
    if (refusal !== undefined) {
      this.#options.unauthorized.add();
      throw refusal;
    }
    const signal = SIGNALS.get(call.path);
    if (signal !== undefined) return signal;
    throw new Fault('GRPC_METHOD_UNKNOWN', 'this endpoint takes Export of LogsService and TraceService (OTLP 1)');
  }

  async #drop(call: GrpcCall, signal: DroppedSignal): Promise<void> {
    this.#options.signals.check(signal);
    await call.discardMessage(this.#maxBytes);
    this.#options.signals.count(signal);
    call.respond(new Uint8Array());
  }

  /** Reads the message. A failed read counts as one lost record. */
  async #receive(call: GrpcCall, held: RequestMemory): Promise<Buffer> {
    try {
      return await call.readMessage({ maxBytes: this.#maxBytes, held });
    } catch (error) {
      const { code, retryable } = call.fault ?? toFault(error);
      this.#options.account.count(retryable ? 'refused' : 'rejected', code);
      throw error;
    }
  }
}
