import {
  type AnySettings,
  areSettingsOf,
  type ExporterSettings,
  type ExtensionSettings,
  type ProcessorSettings,
  type ReceiverSettings,
  type SettingsByType,
} from '../../config/component-settings.js';
import type { FailureActions, FailureChanges, FailureReader } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import type { Grouper } from '../../core/fingerprint/grouper.js';
import { openEventStore } from '../../core/storage/event-store.js';
import type { GroupingRules } from '../../core/storage/regroup/store-groupings.js';
import type { ExporterStats } from '../../generated/reader-answers.js';
import type { Component, ComponentContext, KeepAcrossReloads } from '../component/component.js';
import type { Consumer } from '../component/consumer.js';
import { createDebugExporter } from '../exporters/debug-exporter.js';
import { createOtlpHttpExporter } from '../exporters/otlp-http/otlp-http-exporter.js';
import { createStoreExporter, type StoreExporter } from '../exporters/store-exporter.js';
import { createWebhookExporter } from '../exporters/webhook/webhook-exporter.js';
import { createBearerTokenAuth } from '../extensions/bearer-token-auth.js';
import type { RunningParts } from '../extensions/collector-health.js';
import { createHealthCheckExtension } from '../extensions/health-check-extension.js';
import { createPprofExtension } from '../extensions/pprof-extension.js';
import { createQueryExtension } from '../extensions/query-extension.js';
import type { Authenticator } from '../http/messages/authenticator.js';
import { createAttributesProcessor } from '../processors/attributes/attributes-processor.js';
import { createFilterProcessor } from '../processors/filter-processor.js';
import { createMemoryLimiter } from '../processors/memory-limiter-processor.js';
import { createRedactionProcessor } from '../processors/redaction/redaction-processor.js';
import { createSamplingProcessor } from '../processors/sampling/sampling-processor.js';
import { rateLimitRule, sampleRule } from '../processors/sampling/sampling-rule.js';
import type { RegroupJobs } from '../query/regroup-jobs.js';
import { createEventsReceiver } from '../receivers/events/events-receiver.js';
import { createFileLogReceiver } from '../receivers/file-log/file-log-receiver.js';
import { createOtlpReceiver } from '../receivers/otlp/otlp-receiver.js';
import { createSentryReceiver } from '../receivers/sentry/sentry-receiver.js';
import { createRequestCounter, type RequestCounter } from '../telemetry/ledger.js';
import { createStoreTelemetry } from '../telemetry/store-telemetry.js';

/** A receiver as the service sees it. */
export interface Receiver extends Component {
  /** Where events are sent, with the real ports once started; a receiver that listens nowhere says what it follows. */
  readonly urls: readonly string[];
}

/** A processor as the service sees it. */
export interface Processor extends Component, Consumer {}

/** An exporter that sends what a store keeps, as the service sees it. It follows the store's record and is never waited for. */
export interface StreamingExporter extends Component {
  /** Where it sends, for people. */
  readonly destination: string;
  /** For `Stats.exporters`; absent where there is nothing to tell. */
  stats?(): ExporterStats;
}

/** An extension as the service sees it. */
export interface Extension extends Component {
  /** Base address, with the real port once started; absent where it listens nowhere. */
  readonly url?: string | undefined;
  /** Decides who may call, where that is what the extension is for. */
  readonly authenticator?: Authenticator;
  /** Whether it looks at the others: then it starts before them and stops after them. Default false. */
  readonly isWatching?: boolean;
}

type Build<Settings, Needs, Built> = (id: string, settings: Settings, needs: Needs) => Built;
type Factories<Settings, Needs, Built> = Readonly<Record<string, Build<Settings, Needs, Built>>>;

/** What a receiver gets: the consumer that it hands events to, and the reader of what the first exporter keeps. */
interface ReceiverNeeds extends ComponentContext {
  readonly consumer: Consumer;
  /** Only between the exporters' start and shutdown, which is all of a receiver's life. */
  readonly reader: () => FailureReader;
  readonly keepAcrossReloads: KeepAcrossReloads;
}

/** Receivers by type. */
export const RECEIVERS: Factories<ReceiverSettings, ReceiverNeeds, Receiver> = {
  events: ofType(
    'events',
    (id, settings, { consumer, servers, authenticatorOf, keepAcrossReloads, meters, ledger, ingest }) =>
      createEventsReceiver({
        id,
        settings,
        consumer,
        servers: countingServers(servers, meters, id),
        authenticatorOf,
        keepAcrossReloads,
        account: ledger.account(id),
        ingest,
      }),
  ),
  file_log: ofType('file_log', (id, settings, { consumer, reader, ledger, logger }) =>
    createFileLogReceiver({ id, settings, consumer, reader, logger, account: ledger.account(id) }),
  ),
  otlp: ofType(
    'otlp',
    (id, settings, { consumer, servers, authenticatorOf, keepAcrossReloads, meters, ledger, ingest, logger }) =>
      createOtlpReceiver({
        id,
        settings,
        consumer,
        servers: countingServers(servers, meters, id),
        authenticatorOf,
        keepAcrossReloads,
        meters,
        logger,
        account: ledger.account(id),
        ingest,
      }),
  ),
  sentry: ofType(
    'sentry',
    (id, settings, { consumer, servers, authenticatorOf, keepAcrossReloads, meters, ledger, ingest, logger }) =>
      createSentryReceiver({
        id,
        settings,
        consumer,
        servers: countingServers(servers, meters, id),
        authenticatorOf,
        keepAcrossReloads,
        logger,
        account: ledger.account(id),
        ingest,
      }),
  ),
};

/** What a processor gets: the consumer after it, and what groups events in the store of its pipeline. */
interface ProcessorNeeds extends ComponentContext {
  readonly consumer: Consumer;
  /** Only between the exporters' start and shutdown; another one after a regrouping. */
  readonly grouper: () => Grouper;
}

/** Processors by type. */
export const PROCESSORS: Factories<ProcessorSettings, ProcessorNeeds, Processor> = {
  attributes: ofType('attributes', createAttributesProcessor),
  filter: ofType('filter', createFilterProcessor),
  memory_limiter: ofType('memory_limiter', createMemoryLimiter),
  redaction: ofType('redaction', createRedactionProcessor),
  rate_limit: ofType('rate_limit', (id, settings, needs) =>
    createSamplingProcessor(id, rateLimitRule(settings), settings, needs),
  ),
  sample: ofType('sample', (id, settings, needs) => createSamplingProcessor(id, sampleRule(settings), settings, needs)),
};

/** What an exporter that keeps events gets: the rules of the user for grouping, and whom to tell that its files were pulled away. */
interface ExporterNeeds extends ComponentContext {
  readonly groupingRules: GroupingRules | undefined;
  readonly onLost: (fault: Fault) => void;
}

/** Exporters that keep events, by type. */
export const EXPORTERS: Factories<ExporterSettings, ExporterNeeds, StoreExporter> = {
  store: ofType('store', (id, settings, { logger, groupingRules, onLost, meters, states }) => {
    const telemetry = createStoreTelemetry(id, meters, states);
    const rules = groupingRules && { groupingRules };
    return createStoreExporter({ settings, logger, ...rules, openStore: openEventStore, telemetry, onLost });
  }),
};

/** What a follower gets: the store exporter of its pipeline, which is started before it and stopped after it. */
interface FollowerNeeds extends ComponentContext {
  readonly store: StoreExporter;
}

/** Exporters that send what a store keeps, by type. */
export const FOLLOWERS: Factories<ExporterSettings, FollowerNeeds, StreamingExporter> = {
  otlp_http: ofType('otlp_http', createOtlpHttpExporter),
  webhook: ofType('webhook', createWebhookExporter),
  debug: ofType('debug', createDebugExporter),
};

/** What an extension gets: the ways to what the first exporter keeps, only between its start and its shutdown. */
interface ExtensionNeeds extends ComponentContext {
  readonly reader: () => FailureReader;
  readonly actions: () => FailureActions;
  readonly changes: () => FailureChanges;
  /** Of what the first exporter keeps, one for all extensions. */
  readonly regroupings: RegroupJobs;
  /** What runs, by the settings of the service. */
  readonly parts: () => RunningParts;
  /** As `Stats.endpoints`. */
  readonly endpoints: () => Readonly<Record<string, string>>;
  /** As `Stats.exporters`. */
  readonly exporters: () => Readonly<Record<string, ExporterStats>>;
}

/** Extensions by type. */
export const EXTENSIONS: Factories<ExtensionSettings, ExtensionNeeds, Extension> = {
  health_check: ofType('health_check', createHealthCheckExtension),
  pprof: ofType('pprof', createPprofExtension),
  bearertokenauth: ofType('bearertokenauth', (_id, settings, { logger }) => createBearerTokenAuth(settings, logger)),
  query: ofType('query', createQueryExtension),
};

/** A factory of one type of component as one of any of its section. */
function ofType<Type extends keyof SettingsByType, Needs, Built>(
  type: Type,
  build: Build<SettingsByType[Type], Needs, Built>,
): Build<AnySettings, Needs, Built> {
  return (id, settings, needs) => {
    if (areSettingsOf(type, id, settings)) return build(id, settings, needs);
    throw new Fault('COMPONENT_UNKNOWN', `the settings of ${id} are not those of ${type}`);
  };
}

/** The same servers, whose mounts count what a receiver answers. A browser that asks whether a page may send is not counted. */
function countingServers(
  servers: ComponentContext['servers'],
  meters: ComponentContext['meters'],
  receiver: string,
): ComponentContext['servers'] {
  let onAnswered: RequestCounter | undefined;
  return {
    ...servers,
    mount(endpoint, options) {
      onAnswered ??= createRequestCounter(meters, receiver, 'http');
      return servers.mount(endpoint, { ...options, onAnswered });
    },
  };
}
