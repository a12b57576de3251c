import { parseEndpoint } from '../../../../config/values/endpoint.js';
import { parseSize } from '../../../../config/values/size.js';
import { Fault } from '../../../../core/event/fault.js';
import type { OtlpGrpcSettings } from '../../../../generated/settings.js';
import type { Component, Internal } from '../../../component/built-in.js';
import type { RequestMemory } from '../../../component/ingest-memory.js';
import { createEncodingReport } from '../../../http/decompression/content-encodings.js';
import { accessText, type TokenAccess, tokenCheck } from '../../../http/endpoints/access-rule.js';
import { endpointText, endpointUrl } from '../../../http/endpoints/addresses.js';
import { statusOf } from '../../../http/messages/http-fault.js';
import { toFault } from '../../../http/messages/problem.js';
import { senderOrigin } from '../../../http/messages/request-guard.js';
import { EndpointLimits } from '../../../http/server/endpoint-limits.js';
import { createTlsRefusals } from '../../../http/tls/tls-failure.js';
import { TlsTerminator } from '../../../http/tls/tls-terminator.js';
import { encodeExportResponse } from '../../../otlp/responses.js';
import { createRequestCounter, type ReceiverAccount } from '../../../telemetry/ledger.js';
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

/** OTLP over gRPC, on a server of its own. */
interface OtlpGrpc extends Component {
  /** With the real port after start, for example `grpc://localhost:4317`. */
  readonly url: string;
}

const SIGNALS: ReadonlyMap<string, OtlpSignal | DroppedSignal> = new Map<string, OtlpSignal | DroppedSignal>([
  ['/opentelemetry.proto.collector.logs.v1.LogsService/Export', 'logs'],
  ['/opentelemetry.proto.collector.trace.v1.TraceService/Export', 'traces'],
  ...DROPPED_SIGNALS.map(({ method, signal }) => [method, signal] as const),
]);

/** Creates the server. `start` throws `LISTEN_FAILED`, `TLS_FILE_UNREADABLE` and `TLS_FILE_INVALID`. */
export function createOtlpGrpc(options: OtlpGrpcOptions): OtlpGrpc {
  const { id, settings, account, intake, signals, ingest, meters, logger } = options;
  const { certificates, sockets } = options.servers;
  const { tls } = settings;
  const authenticator = options.authenticatorOf(settings.auth);
  const access: TokenAccess = { kind: 'token', scope: 'ingest', refusalOf: tokenCheck(authenticator) };
  const reportEncoding = createEncodingReport(meters, logger);
  const unauthorized = meters.counter('faultline_http_unauthorized_requests', { component: id });
  const maxBytes = parseSize(settings.max_recv_msg_size);
  const endpoint = parseEndpoint(settings.endpoint);
  const guard = new EndpointLimits(endpointText(endpoint), meters, settings.connections);
  const connections = new GrpcConnections({
    endpoint,
    sockets,
    guard,
    handle,
    onResponse: createRequestCounter(meters, id, 'grpc'),
    openTls,
    onFault: (error) => logger.warn({ err: error }, 'a gRPC connection was not accepted'),
  });

  async function openTls(): Promise<TlsTerminator | undefined> {
    if (tls === undefined) return undefined;
    const onRefused = createTlsRefusals({ endpoint: endpointText(endpoint), meters, logger });
    return new TlsTerminator({
      certificate: await certificates.open(id, tls),
      wantsClientCertificate: tls.client_ca_file !== undefined,
      protocols: ['h2'],
      handshakeTimeoutMs: guard.times.headersMs,
      onRefused,
    });
  }

  async function handle(call: GrpcCall, arrived: () => void): Promise<void> {
    const held = ingest.begin();
    try {
      const signal = admit(call);
      if (signal === 'metrics' || signal === 'profiles') {
        signals.check(signal);
        await call.discardMessage(maxBytes);
        signals.count(signal);
        call.respond(new Uint8Array());
        return;
      }
      const origin = senderOrigin(call.headers, call.peer, authenticator !== undefined);
      const body = await receive(call, held);
      arrived();
      const accepted = await intake.accept({ signal, encoding: 'protobuf', body, origin });
      if (call.isOver) accepted.undelivered();
      else call.respond(Buffer.from(encodeExportResponse(signal, 'protobuf', accepted.partial)));
    } catch (error) {
      const fault = toFault(error);
      reportEncoding(id, call.peer, fault);
      if (fault !== error || statusOf(fault) === 500) {
        logger.error({ err: error, code: fault.code, method: call.path }, 'a request failed');
      }
      call.fail(fault);
    } finally {
      held.releaseAll();
    }
  }

  /** Returns the signal of the call. Throws `TOKEN_MISSING`, `TOKEN_WRONG`, `GRPC_METHOD_UNKNOWN` and as `GrpcCall.begin`. */
  function admit(call: GrpcCall): OtlpSignal | DroppedSignal {
    call.begin();
    const refusal = access.refusalOf(call);
    if (refusal !== undefined) {
      unauthorized.add();
      throw refusal;
    }
    const signal = SIGNALS.get(call.path);
    if (signal !== undefined) return signal;
    throw new Fault('GRPC_METHOD_UNKNOWN', 'this endpoint takes Export of LogsService and TraceService');
  }

  /** Reads the message. A failed read counts as one lost record. */
  async function receive(call: GrpcCall, held: RequestMemory): Promise<Buffer> {
    try {
      return await call.readMessage({ maxBytes, held });
    } catch (error) {
      const { code, retryable } = call.fault ?? toFault(error);
      account.count(retryable ? 'refused' : 'rejected', code);
      throw error;
    }
  }

  return {
    get url() {
      return endpointUrl({ host: endpoint.host, port: connections.port }, tls === undefined ? 'grpc' : 'grpcs');
    },
    async start() {
      for (const route of SIGNALS.keys()) {
        logger.debug({ endpoint: endpointText(endpoint), route, access: accessText(access) }, 'serves a route');
      }
      await connections.open();
    },
    shutdown: () => connections.close(options.drainMs),
  };
}
