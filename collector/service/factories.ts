import {
  type AnySettings,
  type ExporterSettings,
  type ExtensionSettings,
  hasSettingsType,
  type ProcessorSettings,
  type ReceiverSettings,
} from '../../config/component-settings.js';
import type { FailureActions, FailureReader } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import type { Grouper } from '../../core/fingerprint/grouper.js';
import { openEventStore } from '../../core/storage/event-store.js';
import type { GroupingRules } from '../../core/storage/regroup/store-groupings.js';
import type { ExporterStats, GatewayStats } from '../../generated/reader-answers.js';
import type { SettingsByType } from '../../generated/settings-by-type.js';
import type { Component, ComponentContext, KeepAcrossReloads } from '../component/component.js';
import type { Consumer } from '../component/consumer.js';
import { createDebugExporter } from '../exporters/debug-exporter.js';
import { createNatsExporter } from '../exporters/nats/nats-exporter.js';
import { createOtlpHttpExporter } from '../exporters/otlp-http/otlp-http-exporter.js';
import { hostExporter } from '../exporters/sending/hosted-exporter.js';
import { createStoreExporter, type StoreExporter } from '../exporters/store-exporter.js';
import { createWebhookExporter } from '../exporters/webhook/webhook-exporter.js';
import { createBearerTokenAuth } from '../extensions/bearer-token-auth.js';
import type { RunningComponents } from '../extensions/collector-health.js';
import { createHealthCheckExtension } from '../extensions/health-check-extension.js';
import { createMcpExtension } from '../extensions/mcp-extension.js';
import { createPprofExtension } from '../extensions/pprof-extension.js';
import { createQueryExtension, type QuerySources } from '../extensions/query-extension.js';
import type { Authenticator } from '../http/endpoints/access-rule.js';
import { createAttributesProcessor } from '../processors/attributes/attributes-processor.js';
import { createEventProcessor } from '../processors/event-processor/event-processor.js';
import { createFilterProcessor } from '../processors/filter-processor.js';
import { createMemoryLimiter } from '../processors/memory-limiter-processor.js';
import { createRedactionProcessor } from '../processors/redaction/redaction-processor.js';
import { createSamplingProcessor } from '../processors/sampling/sampling-processor.js';
import { rateLimitRule, sampleRule } from '../processors/sampling/sampling-rule.js';
import { createEventsReceiver } from '../receivers/events/events-receiver.js';
import { createFileLogReceiver } from '../receivers/file-log/file-log-receiver.js';
import { createNatsReceiver } from '../receivers/nats/nats-receiver.js';
import { createOtlpReceiver } from '../receivers/otlp/otlp-receiver.js';
import { createSentryReceiver } from '../receivers/sentry/sentry-receiver.js';
import { createRequestCounter, type RequestCounter } from '../telemetry/ledger.js';
import { createStoreTelemetry } from '../telemetry/store-telemetry.js';

interface SharesActions {
  /** In place of the actions of the store; absent: it shares none. Throws a retryable Fault unless it runs. */
  readonly actions?: (() => FailureActions) | undefined;
}

/** A receiver as the service sees it. */
export interface Receiver extends Component, SharesActions {
  /** URLs that accept events, with bound ports after `start`; a receiver that does not listen lists what it follows. */
  readonly urls: readonly string[];
  /** For `Stats.gateways`; absent unless it is one. */
  stats?(): GatewayStats;
}

/** A processor as the service sees it. */
export interface Processor extends Component, Consumer {}

/** An exporter that follows the record of a store and sends its events. The pipeline never waits for it. */
export interface StreamingExporter extends Component, SharesActions {
  /** The destination as text. */
  readonly destination: string;
  /** For `Stats.exporters`; absent without statistics. */
  stats?(): ExporterStats;
}

/** An extension as the service sees it. */
export interface Extension extends Component {
  /** Base URL, with the bound port after `start`; absent if it does not listen. */
  readonly url?: string | undefined;
  /** Set for extensions that authenticate requests. */
  readonly authenticator?: Authenticator;
  /** Whether it reports the health of other components: then it starts before and stops after them. Default false. */
  readonly reportsHealth?: boolean;
}

type Build<Settings, Needs, Built> = (id: string, settings: Settings, needs: Needs) => Built;

/** Builders of components by type; `Needs` are their dependencies besides the context. */
export type Factories<Settings, Needs, Built> = Readonly<
  Record<string, Build<Settings, ComponentContext & Needs, Built>>
>;

/** Dependencies of a receiver: the next consumer, the reader of the first store, and its own store. */
interface ReceiverDependencies {
  readonly consumer: Consumer;
  /** Valid between the exporters' start and shutdown. */
  readonly reader: () => FailureReader;
  /** The store of its first pipeline; valid likewise. */
  readonly store: StoreExporter;
  readonly keepAcrossReloads: KeepAcrossReloads;
}

/** Receivers by type. */
export const RECEIVERS: Factories<ReceiverSettings, ReceiverDependencies, Receiver> = {
  events: ofType('events', (id, settings, dependencies) =>
    createEventsReceiver({ ...dependencies, ...countingFor(id, dependencies), settings }),
  ),
  file_log: ofType('file_log', (id, settings, { consumer, reader, ledger, logger }) =>
    createFileLogReceiver({ id, settings, consumer, reader, logger, account: ledger.account(id) }),
  ),
  nats: ofType('nats', (id, settings, dependencies) => {
    if (!('own' in settings)) throw new Fault('COMPONENT_UNKNOWN', `the settings of ${id} are not those of a receiver`);
    return createNatsReceiver({ ...dependencies, id, settings, account: dependencies.ledger.account(id) });
  }),
  otlp: ofType('otlp', (id, settings, dependencies) =>
    createOtlpReceiver({ ...dependencies, ...countingFor(id, dependencies), settings }),
  ),
  sentry: ofType('sentry', (id, settings, dependencies) =>
    createSentryReceiver({ ...dependencies, ...countingFor(id, dependencies), settings }),
  ),
};

/** Under which a receiver that listens counts its requests and events. */
function countingFor(id: string, { servers, meters, ledger }: ComponentContext) {
  return { id, servers: countingServers(servers, meters, id), account: ledger.account(id) };
}

/** Dependencies of a processor: the next consumer, and the grouper of its pipeline's store. */
interface ProcessorDependencies {
  readonly consumer: Consumer;
  /** Valid between the exporters' start and shutdown; replaced by a regrouping. */
  readonly grouper: () => Grouper;
}

/** Processors by type. */
export const PROCESSORS: Factories<ProcessorSettings, ProcessorDependencies, Processor> = {
  attributes: ofType('attributes', (id, settings, needs) =>
    createEventProcessor(id, needs, settings.error_mode, createAttributesProcessor(settings)),
  ),
  filter: ofType('filter', createFilterProcessor),
  memory_limiter: ofType('memory_limiter', createMemoryLimiter),
  redaction: ofType('redaction', createRedactionProcessor),
  rate_limit: ofType('rate_limit', (id, settings, needs) =>
    createSamplingProcessor(id, rateLimitRule(settings), settings, needs),
  ),
  sample: ofType('sample', (id, settings, needs) => createSamplingProcessor(id, sampleRule(settings), settings, needs)),
};

/** Dependencies of a store exporter: the user's grouping rules, and a callback for removed files. */
interface ExporterDependencies {
  readonly groupingRules: GroupingRules | undefined;
  readonly onLost: (fault: Fault) => void;
}

/** Store exporters by type. */
export const EXPORTERS: Factories<ExporterSettings, ExporterDependencies, StoreExporter> = {
  store: ofType('store', (id, settings, { logger, groupingRules, onLost, meters, states }) => {
    const telemetry = createStoreTelemetry(id, meters, states);
    const rules = groupingRules && { groupingRules };
    return createStoreExporter({ settings, logger, ...rules, openStore: openEventStore, telemetry, onLost });
  }),
};

/** Streaming exporters by type, with the store exporter of its pipeline, which starts before it and stops after it. */
export const STREAMING_EXPORTERS: Factories<ExporterSettings, { readonly store: StoreExporter }, StreamingExporter> = {
  otlp_http: ofType('otlp_http', createOtlpHttpExporter),
  nats: ofType('nats', (id, settings, dependencies) => {
    if ('own' in settings) throw new Fault('COMPONENT_UNKNOWN', `the settings of ${id} are not those of an exporter`);
    return createNatsExporter(id, settings, dependencies);
  }),
  webhook: ofType('webhook', createWebhookExporter),
  debug: ofType('debug', (id, settings, needs) =>
    hostExporter(id, createDebugExporter(settings, { id }), { ...needs, ...DEBUGGING }),
  ),
};

/** `debug` shows what is stored while it runs, and waits for nothing. */
export const DEBUGGING = {
  queue: { max_batch_events: 512, flush_interval: '200ms', retention_hold: '0s', start_at: 'end' },
  retry: {
    ...{ enabled: false, initial_interval: '5s', max_interval: '30s', multiplier: 1.5 },
    ...{ randomization_factor: 0.5, max_elapsed_time: '0s' },
  },
  timeoutMs: 86_400_000,
  isDurable: false,
} as const;

/** Dependencies of an extension: access to the first store, valid between its start and shutdown. */
interface ExtensionDependencies extends Omit<QuerySources, 'ledger'> {
  /** The running components by the settings of the service. */
  readonly parts: () => RunningComponents;
  /** Settings of another extension that runs. */
  readonly settingsOf: (extension: string) => AnySettings | undefined;
}

/** Extensions by type. */
export const EXTENSIONS: Factories<ExtensionSettings, ExtensionDependencies, Extension> = {
  health_check: ofType('health_check', createHealthCheckExtension),
  pprof: ofType('pprof', createPprofExtension),
  bearertokenauth: ofType('bearertokenauth', (_id, settings, { logger }) => createBearerTokenAuth(settings, logger)),
  query: ofType('query', createQueryExtension),
  mcp: ofType('mcp', createMcpExtension),
};

function ofType<Type extends keyof SettingsByType, Needs, Built>(
  type: Type,
  build: Build<SettingsByType[Type], Needs, Built>,
): Build<AnySettings, Needs, Built> {
  return (id, settings, needs) => {
    if (hasSettingsType(type, id, settings)) return build(id, settings, needs);
    throw new Fault('COMPONENT_UNKNOWN', `the settings of ${id} are not those of ${type}`);
  };
}

/** Wraps servers so that mounts count the responses of a receiver, except preflights. */
function countingServers(
  servers: ComponentContext['servers'],
  meters: ComponentContext['meters'],
  receiver: string,
): ComponentContext['servers'] {
  let onResponse: RequestCounter | undefined;
  return {
    ...servers,
    mount(endpoint, options) {
      onResponse ??= createRequestCounter(meters, receiver, 'http');
      return servers.mount(endpoint, { ...options, onResponse });
    },
  };
}
