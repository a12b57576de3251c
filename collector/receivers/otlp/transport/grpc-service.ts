import { type Endpoint, parseEndpoint } from '../../../../config/values/endpoint.js';
import { parseSize } from '../../../../config/values/size.js';
import { Fault } from '../../../../core/event/fault.js';
import type { OtlpGrpcSettings } from '../../../../generated/settings.js';
import type { Component, Internal } from '../../../component/built-in.js';
import type { RequestMemory } from '../../../component/ingest-memory.js';
import { createEncodingReport, type ReportEncoding } from '../../../http/decompression/content-encodings.js';
import { accessText, type TokenAccess, tokenCheck } from '../../../http/endpoints/access-rule.js';
import { endpointText, endpointUrl } from '../../../http/endpoints/addresses.js';
import { senderOrigin } from '../../../http/endpoints/sender-origin.js';
import { statusOf } from '../../../http/messages/http-fault.js';
import { toFault } from '../../../http/messages/problem.js';
import { EndpointLimits } from '../../../http/server/endpoint-limits.js';
import { createTlsRefusals } from '../../../http/tls/tls-failure.js';
import { TlsTerminator } from '../../../http/tls/tls-terminator.js';
import { encodeExportResponse } from '../../../otlp/responses.js';
import { createRequestCounter, type ReceiverAccount } from '../../../telemetry/ledger.js';
import type { Counter } from '../../../telemetry/meters.js';
import type { OtlpSignal } from '../decode/otlp-failure.js';
import type { OtlpIntake } from '../intake/otlp-intake.js';
import { DROPPED_SIGNALS, type DroppedSignal, type DroppedSignals } from './dropped-signals.js';
import type { GrpcCall } from './grpc-call.js';
import { GrpcConnections } from './grpc-connections.js';

interface OtlpGrpcOptions extends Omit<Internal, 'ledger' | 'states' | 'toleratesTakenPorts'> {
  readonly id: string;
  readonly settings: OtlpGrpcSettings;
  readonly account: ReceiverAccount;
  readonly intake: OtlpIntake;
  readonly signals: DroppedSignals;
  /** Time for running calls at shutdown, milliseconds. */
  readonly drainMs: number;
}

const SIGNALS: ReadonlyMap<string, OtlpSignal | DroppedSignal> = new Map<string, OtlpSignal | DroppedSignal>([
  ['/opentelemetry.proto.collector.logs.v1.LogsService/Export', 'logs'],
  ['/opentelemetry.proto.collector.trace.v1.TraceService/Export', 'traces'],
  ...DROPPED_SIGNALS.map(({ method, signal }) => [method, signal] as const),
]);

/** OTLP over gRPC, on a server of its own. */
export class OtlpGrpcServer implements Component {
  readonly #options: OtlpGrpcOptions;
  readonly #endpoint: Endpoint;
  readonly #access: TokenAccess;
  readonly #hasToken: boolean;
  readonly #guard: EndpointLimits;
  readonly #connections: GrpcConnections;
  readonly #maxBytes: number;
  readonly #unauthorized: Counter;
  readonly #reportEncoding: ReportEncoding;

  constructor(options: OtlpGrpcOptions) {
    const { id, settings, meters, logger } = options;
    const authenticator = options.authenticatorOf(settings.auth);
    this.#options = options;
    this.#endpoint = parseEndpoint(settings.endpoint);
    this.#hasToken = authenticator !== undefined;
    this.#access = { kind: 'token', scope: 'ingest', refusalOf: tokenCheck(authenticator) };
    this.#maxBytes = parseSize(settings.max_recv_msg_size);
    this.#unauthorized = meters.counter('faultline_http_unauthorized_requests', { component: id });
    this.#reportEncoding = createEncodingReport(meters, logger);
    this.#guard = new EndpointLimits(endpointText(this.#endpoint), meters, settings.connections);
    this.#connections = new GrpcConnections({
      endpoint: this.#endpoint,
      sockets: options.servers.sockets,
      guard: this.#guard,
      handle: (call, arrived) => this.#handle(call, arrived),
      onResponse: createRequestCounter(meters, id, 'grpc'),
      openTls: () => this.#openTls(),
      onFault: (error) => logger.warn({ err: error }, 'a gRPC connection was not accepted'),
    });
  }

  /** With the real port after start, for example `grpc://localhost:4317`. */
  get url(): string {
    const scheme = this.#options.settings.tls === undefined ? 'grpc' : 'grpcs';
    return endpointUrl({ host: this.#endpoint.host, port: this.#connections.port }, scheme);
  }

  /** Throws `LISTEN_FAILED`, `TLS_FILE_UNREADABLE` and `TLS_FILE_INVALID`. */
  async start(): Promise<void> {
    const endpoint = endpointText(this.#endpoint);
    for (const route of SIGNALS.keys()) {
      this.#options.logger.debug({ endpoint, route, access: accessText(this.#access) }, 'serves a route');
    }
    await this.#connections.open();
  }

  shutdown(): Promise<void> {
    return this.#connections.close(this.#options.drainMs);
  }

  async #openTls(): Promise<TlsTerminator | undefined> {
    const { id, settings, servers, meters, logger } = this.#options;
    const { tls } = settings;
    if (tls === undefined) return undefined;
    return new TlsTerminator({
      certificate: await servers.certificates.open(id, tls),
      wantsClientCertificate: tls.client_ca_file !== undefined,
      protocols: ['h2'],
      handshakeTimeoutMs: this.#guard.times.headersMs,
      onRefused: createTlsRefusals({ endpoint: endpointText(this.#endpoint), meters, logger }),
    });
  }

  async #handle(call: GrpcCall, arrived: () => void): Promise<void> {
    const held = this.#options.ingest.begin();
    try {
      const signal = this.#admit(call);
      if (signal === 'metrics' || signal === 'profiles') await this.#drop(call, signal);
      else await this.#accept(call, signal, held, arrived);
    } catch (error) {
      this.#fail(call, error);
    } finally {
      held.releaseAll();
    }
  }

  /** Returns the signal of the call. Throws `TOKEN_MISSING`, `TOKEN_WRONG`, `GRPC_METHOD_UNKNOWN` and as `GrpcCall.begin`. */
  #admit(call: GrpcCall): OtlpSignal | DroppedSignal {
    call.begin();
    const refusal = this.#access.refusalOf(call);
    if (refusal !== undefined) {
      this.#unauthorized.add();
      throw refusal;
    }
    const signal = SIGNALS.get(call.path);
    if (signal !== undefined) return signal;
    throw new Fault('GRPC_METHOD_UNKNOWN', 'this endpoint takes Export of LogsService and TraceService');
  }

  async #accept(call: GrpcCall, signal: OtlpSignal, held: RequestMemory, arrived: () => void): Promise<void> {
    const origin = senderOrigin(call.headers, call.peer, this.#hasToken);
    const body = await this.#receive(call, held);
    arrived();
    const accepted = await this.#options.intake.accept({ signal, encoding: 'protobuf', body, origin });
    if (call.isOver) accepted.undelivered();
    else call.respond(Buffer.from(encodeExportResponse(signal, 'protobuf', accepted.partial)));
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

  async #drop(call: GrpcCall, signal: DroppedSignal): Promise<void> {
    const { signals } = this.#options;
    signals.check(signal);
    await call.discardMessage(this.#maxBytes);
    signals.count(signal);
    call.respond(new Uint8Array());
  }

  #fail(call: GrpcCall, error: unknown): void {
    const { id, logger } = this.#options;
    const fault = toFault(error);
    this.#reportEncoding(id, call.peer, fault);
    if (fault !== error || statusOf(fault) === 500) {
      logger.error({ err: error, code: fault.code, method: call.path }, 'a request failed');
    }
    call.fail(fault);
  }
}
