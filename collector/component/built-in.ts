/**
 * What the collector's own components have beyond the contract of plugins (plugin.ts), which they implement too: `context.internal`, which a plugin
 * never gets, and optional members of what `create` returns. Not part of the published types.
 */
import type { Logger } from 'pino';
import type { AnySettings } from '../../config/component-settings.js';
import type { FailureActions, FailureChanges, FailureReader, FailureReleases } from '../../core/contract/reader.js';
import type { ReceivedEvent } from '../../core/contract/stages.js';
import type { Fault } from '../../core/event/fault.js';
import type { Grouper } from '../../core/fingerprint/grouper.js';
import type { RejectedPayload } from '../../core/storage/dead-letters/dead-letter.js';
import type { EventStore } from '../../core/storage/event-store.js';
import type { GroupingRules } from '../../core/storage/regroup/store-groupings.js';
import type { ExporterStats, GatewayStats, Stats } from '../../generated/reader-answers.js';
import type { AuthSettings, QueueSettings, RetrySettings, ServiceSettings } from '../../generated/settings.js';
import type { SettingsBySection } from '../../generated/settings-by-type.js';
import type { EndpointRoutes } from '../http/endpoint-routes.js';
import type { Authenticator } from '../http/endpoints/access-rule.js';
import type { HttpServers } from '../http/http-servers.js';
import type { RegroupJobs } from '../query/regroup-jobs.js';
import type { ComponentStates } from '../telemetry/component-states.js';
import type { Ledger, ReceiverAccount } from '../telemetry/ledger.js';
import type { Meters } from '../telemetry/meters.js';
import type { Batch, Consumer } from './consumer.js';
import type { IngestMemory } from './ingest-memory.js';
import type * as plugin from './plugin.js';

/** A component with both `start` and `shutdown`. If `stop` is aborted, `start` leaves nothing open and throws `COLLECTOR_STOPPING`. */
export type Component = Required<plugin.Component>;

/**
 * A type of component. Its description and the schema of its settings stand in config/schema.json, from which the types of settings, their check and
 * their documentation are generated.
 */
interface BuiltInFactory<Built, Internal, Settings>
  extends Pick<
    plugin.Factory<Built, plugin.Context & { readonly internal: Internal }, Settings>,
    'create' | 'stability'
  > {
  /** Signals of OpenTelemetry that it handles; default: events of Faultline. */
  readonly signals?: readonly ('logs' | 'traces')[];
}

/** What each component gets. */
export interface Internal {
  /** Addresses, certificates and sockets. What is served over HTTP is declared as `routes`. */
  readonly servers: Pick<HttpServers, 'certificates' | 'sockets' | 'urlOf'>;
  readonly ledger: Ledger;
  readonly meters: Meters;
  readonly ingest: IngestMemory;
  readonly states: ComponentStates;
  /** Whether the collector starts although the port of a monitoring endpoint is in use. */
  readonly toleratesTakenPorts: boolean;
  /** Logs the component's id with each line. */
  readonly logger: Logger;
  /** Finds the authenticator of an endpoint's `auth` settings; undefined if they name none. Throws `COMPONENT_UNKNOWN`. */
  authenticatorOf(this: void, auth: AuthSettings): Authenticator | undefined;
}

/** A store that is open between the start of its exporter and its shutdown. */
export interface OpenedStore {
  /** Throws `STORE_CLOSED` while it is not. */
  opened(): EventStore;
}

/** Returns the state of a receiver from before a reload if it was made for an equal `basis`, else the result of `make`; one for each receiver. */
export type KeepAcrossReloads = <Memory>(basis: unknown, make: () => Memory) => Memory;

export interface ReceiverInternal extends Internal {
  /** The next component, which takes whole batches. */
  readonly consumer: Consumer;
  /** Where it counts its events. Responses of its routes are counted too. */
  readonly account: ReceiverAccount;
  /** The reader of the first store. */
  readonly reader: () => FailureReader;
  /** The store of its first pipeline. */
  readonly store: OpenedStore;
  readonly keepAcrossReloads: KeepAcrossReloads;
}

export interface ProcessorInternal extends Internal {
  /** The next component, for processors that forward. */
  readonly consumer: Consumer;
  /** The grouper of its pipeline's store, which a regrouping replaces. */
  readonly grouper: () => Grouper;
}

export interface ExporterInternal extends Internal {
  /** The store of its first pipeline, which starts before it and stops after it; for a store exporter: itself. */
  readonly store: OpenedStore;
  /** For a store exporter: the configured rules; absent: those that its folder was last opened with. */
  readonly groupingRules?: GroupingRules | undefined;
  /** For a store exporter: called when its files were removed. */
  readonly onLost?: (fault: Fault) => void;
}

/** What the service adds to the statistics of its store. */
export type ServiceStats = Pick<Stats, 'endpoints' | 'addresses' | 'exporters' | 'gateways' | 'retention'>;

export interface ExtensionInternal extends Internal {
  /** The first store, between its start and shutdown. */
  readonly reader: () => FailureReader;
  /** Those of the first store, unless a component shares them with other collectors. */
  readonly actions: () => FailureActions;
  readonly releases: () => FailureReleases;
  readonly changes: () => FailureChanges;
  readonly regroupings: RegroupJobs;
  readonly serviceStats: () => ServiceStats;
  /** The running components. */
  readonly parts: () => Pick<ServiceSettings, 'extensions' | 'pipelines'>;
  /** Settings of another extension that runs. */
  readonly settingsOf: (extension: string) => AnySettings | undefined;
}

/** What a component serves over HTTP. */
export interface Serves {
  /** Open from the end of `start` until `shutdown`, before which they are drained. */
  readonly routes?: readonly EndpointRoutes[];
  /** Called when its routes refuse requests: ends what lasts, such as streams, while they are drained. */
  drain?(): Promise<void>;
}

interface SharesActions {
  /** In place of the actions of the store; absent: it shares none. Throws a retryable Fault unless it runs. */
  readonly actions?: (() => FailureActions) | undefined;
}

export interface Receiver extends plugin.Component, Serves, SharesActions {
  /** Where it receives, for people; with the real port after `start`. Default: nothing. */
  readonly urls?: readonly string[];
  /** For `Stats.gateways`; absent unless it is one. */
  stats?(): GatewayStats;
}

/** An event that a processor could not make valid; it becomes a dead letter. */
export interface Unprocessable {
  readonly kind: 'rejected';
  readonly payload: RejectedPayload;
}

/** What becomes of an event: the same object if unchanged, another one, or a drop; of plugins also `Unprocessable`. */
export type Processed = ReceivedEvent | plugin.Dropped | plugin.Failed | Unprocessable;

/** A processor as plugins have it. */
export type PlainProcessor = plugin.Processor & Omit<ReturningProcessor, 'consume'>;

/** A processor that returns results, which the collector counts and forwards. */
export interface ReturningProcessor extends plugin.Component {
  readonly forwards?: false;
  /** Returns one result per event. Rejects to refuse the batch. */
  consume(batch: Pick<Batch, 'events'>): Promise<readonly Processed[]>;
  /** Returns what to keep of a rejected payload; default: all. */
  readonly rejected?: (payload: RejectedPayload) => RejectedPayload | Promise<RejectedPayload>;
  /** What happens to an event that failed: it goes on (`silent`: without a log line) or is dropped (`propagate`). Default `ignore`. */
  readonly errorMode?: 'ignore' | 'silent' | 'propagate';
}

/** A processor that acts on what becomes of its events: it counts, forwards to `context.internal.consumer`, and returns outcomes. */
export interface ForwardingProcessor extends plugin.Component, Consumer {
  readonly forwards: true;
}

export type Processor = ReturningProcessor | ForwardingProcessor;

/** Keeps events in a folder: the end of a pipeline. */
export interface StoreExporter extends Component, Required<Consumer>, OpenedStore {
  /** Absolute path of the data folder. */
  readonly directory: string;
  /** The retention for people, for example `for 30 days, at most 10 GiB`. */
  readonly retention: string;
}

/** How the stored events reach an exporter. */
export interface Delivery {
  readonly queue: QueueSettings;
  /** A batch that it does not take is dropped when the retries end. */
  readonly retry: RetrySettings;
  /** How long it may hold a batch. */
  readonly timeoutMs: number;
  /** Whether its position survives a restart. */
  readonly isDurable: boolean;
}

/** An exporter as plugins have it: the collector reads the store for it. */
export interface DeliveredExporter extends plugin.Exporter {
  readonly delivery: Delivery;
}

/** An exporter that follows `context.internal.store` itself. The pipeline never waits for it. */
export interface FollowingExporter extends Component, SharesActions {
  /** The destination as text. */
  readonly destination: string;
  /** For `Stats.exporters`; absent without statistics. */
  stats?(): ExporterStats;
}

export type Exporter = StoreExporter | DeliveredExporter | FollowingExporter;

export interface Extension extends plugin.Component, Serves {
  /** Base URL, with the bound port after `start`; absent if it does not listen. */
  readonly url?: string | undefined;
  /** Set for extensions that authenticate requests. */
  readonly authenticator?: Authenticator;
  /** Whether it reports the health of other components: then it starts before and stops after them. Default false. */
  readonly reportsHealth?: boolean;
}

/** Types of components; `never` stands for the settings of any. */
interface FactoryBySection<Settings> {
  readonly receivers: BuiltInFactory<Receiver, ReceiverInternal, Settings>;
  readonly processors: BuiltInFactory<Processor, ProcessorInternal, Settings>;
  readonly exporters: BuiltInFactory<Exporter, ExporterInternal, Settings>;
  readonly extensions: BuiltInFactory<Extension, ExtensionInternal, Settings>;
}

export type ReceiverFactory<Settings = never> = FactoryBySection<Settings>['receivers'];
export type ProcessorFactory<Settings = never> = FactoryBySection<Settings>['processors'];
export type ExporterFactory<Settings = never> = FactoryBySection<Settings>['exporters'];
export type ExtensionFactory<Settings = never> = FactoryBySection<Settings>['extensions'];

/** Components by type, in the shape of a plugin. */
export type Factories = {
  readonly [Section in keyof SettingsBySection]: Readonly<Record<string, FactoryBySection<never>[Section]>>;
};

/** The same with exactly the types of config/schema.json; each gets the settings of its type. */
export type BuiltIns = {
  readonly [Section in keyof SettingsBySection]: {
    readonly [Type in keyof SettingsBySection[Section]]: FactoryBySection<SettingsBySection[Section][Type]>[Section];
  };
};
