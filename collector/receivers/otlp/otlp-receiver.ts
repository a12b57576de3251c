import type { Logger } from 'pino';
import { parseDuration } from '../../../config/values/duration.js';
import { parseSize } from '../../../config/values/size.js';
import type { OtlpReceiverSettings } from '../../../generated/settings.js';
import type { Receiver, ReceiverFactory, ReceiverInternal } from '../../component/built-in.js';
import type { EndpointRoutes } from '../../http/endpoint-routes.js';
import { MAX_HOPS } from '../../otlp/faultline-record.js';
import { Intake } from '../intake/intake.js';
import { SpanCache } from './decode/span-cache.js';
import { OtlpIntake, OtlpMemory } from './intake/otlp-intake.js';
import { createRequestFieldReader } from './mapping/http-attributes.js';
import { createFailureMapper } from './mapping/map-failure.js';
import { DroppedSignals } from './transport/dropped-signals.js';
import { OtlpGrpcServer } from './transport/grpc-service.js';
import { createOtlpRoutes } from './transport/otlp-http.js';

interface OtlpReceiverOptions
  extends Pick<
    ReceiverInternal,
    'servers' | 'authenticatorOf' | 'meters' | 'ingest' | 'logger' | 'consumer' | 'keepAcrossReloads' | 'account'
  > {
  readonly id: string;
  readonly settings: OtlpReceiverSettings;
  /** Maximum pause within a body, milliseconds; default 30,000. */
  readonly stallTimeoutMs?: number;
  /** Time for running gRPC calls at shutdown, milliseconds; default 2,000. */
  readonly grpcDrainMs?: number;
}

const DEFAULT_STALL_TIMEOUT_MS = 30_000;
/** Shorter than the collector's own drain time. */
const DEFAULT_GRPC_DRAIN_MS = 2_000;

/** Receiver `otlp`: failures in the logs and traces of OpenTelemetry. */
export const otlpReceiver: ReceiverFactory<OtlpReceiverSettings> = {
  stability: 'beta',
  signals: ['logs', 'traces'],
  create: (settings, { id, internal }) => new OtlpReceiver({ ...internal, id, settings }),
};

/** Takes logs and traces over HTTP and gRPC. */
export class OtlpReceiver implements Receiver {
  /** Empty if the settings turn HTTP off. */
  readonly routes: readonly EndpointRoutes[];
  /** Undefined if the settings turn gRPC off. */
  readonly #grpc: OtlpGrpcServer | undefined;
  readonly #urlOf: (endpoint: string) => string | undefined;

  /** Throws `PAYLOAD_LIMIT_INVALID`. */
  constructor(options: OtlpReceiverOptions) {
    const { http, grpc } = options.settings.protocols;
    const { stallTimeoutMs = DEFAULT_STALL_TIMEOUT_MS, grpcDrainMs: drainMs = DEFAULT_GRPC_DRAIN_MS } = options;
    const signals = new DroppedSignals(options.id, options.settings.signals, options.meters);
    const common = { ...options, intake: createIntake(options), signals };
    this.routes = http === undefined ? [] : createOtlpRoutes({ ...common, settings: http, stallTimeoutMs });
    this.#urlOf = (endpoint) => options.servers.urlOf(endpoint);
    this.#grpc = grpc && new OtlpGrpcServer({ ...common, settings: grpc, drainMs });
  }

  /** Base URLs, `http://…` and `grpc://…`, with the real ports after start. */
  get urls(): readonly string[] {
    const [http] = this.routes;
    return [http && this.#urlOf(http.endpoint), this.#grpc?.url].filter((url) => url !== undefined);
  }

  async start(): Promise<void> {
    await this.#grpc?.start();
  }

  async drain(): Promise<void> {
    await this.#grpc?.shutdown();
  }
}

function createIntake(options: OtlpReceiverOptions): OtlpIntake {
  const { id, settings, consumer, keepAcrossReloads, account, logger } = options;
  const {
    defaults,
    limits,
    min_severity,
    request_id_attributes,
    accept_sampled_counts: acceptsSampledCounts,
  } = settings;
  const joinWindowMs = parseDuration(settings.join_window);
  const requestFields = createRequestFieldReader(request_id_attributes);
  return new OtlpIntake({
    account,
    intake: new Intake({
      receiver: id,
      consumer,
      account,
      defaults,
      limits,
      maxEventSize: parseSize(limits.max_event_size),
      keepsWeight: acceptsSampledCounts,
    }),
    map: createFailureMapper({ defaults, requestFields, acceptsSampledCounts }),
    onLoop: createLoopWarning({ logger }),
    minSeverity: min_severity,
    maxMembers: limits.max_members,
    spanKeys: requestFields.keys,
    spans: new SpanCache({ windowMs: joinWindowMs }),
    memory: keepAcrossReloads(joinWindowMs, () => new OtlpMemory(joinWindowMs)),
  });
}

const INTERVAL_MS = 60_000;

/** Creates a function that counts records rejected for too many hops and logs a warning at most once a minute. */
export function createLoopWarning({
  logger,
  nowMs = () => performance.now(),
}: {
  readonly logger: Logger;
  /** Monotonic milliseconds, default `performance.now`. */
  readonly nowMs?: () => number;
}): (records: number) => void {
  let nextAtMs = Number.NEGATIVE_INFINITY;
  let rejected = 0;
  return (records) => {
    rejected += records;
    if (nowMs() < nextAtMs) return;
    nextAtMs = nowMs() + INTERVAL_MS;
    logger.warn(
      { code: 'OTLP_TOO_MANY_HOPS', rejected, max_hops: MAX_HOPS },
      'rejected log records that passed too many Faultlines: their exporters form a loop; remove otlp_http from the pipeline that leads back, or shorten the chain',
    );
  };
}
