import { isDeepStrictEqual } from 'node:util';
import { parseComponentId } from '../../config/values/component-id.js';
import type { FailureActions } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import { FINGERPRINT_VERSION } from '../../core/fingerprint/grouping-settings.js';
import { groupingOf } from '../../core/fingerprint/rules/check-grouping.js';
import type { AuthSettings, PipelineSettings, Settings } from '../../generated/settings.js';
import type {
  Exporter,
  ExporterInternal,
  Extension,
  ExtensionInternal,
  Factories,
  FollowingExporter,
  Internal,
  Receiver,
  ReceiverInternal,
  Serves,
  ServiceStats,
  StoreExporter,
} from '../component/built-in.js';
import type { Consumer } from '../component/consumer.js';
import type * as plugin from '../component/plugin.js';
import { isStore } from '../exporters/check-exporters.js';
import { HostedExporter } from '../exporters/sending/hosted-exporter.js';
import { createMetricsServer, METRICS_KEY } from '../extensions/metrics-server.js';
import type { Authenticator } from '../http/endpoints/access-rule.js';
import type { HttpServers } from '../http/http-servers.js';
import type { ServedRoutes } from '../http/served-routes.js';
import { createEventProcessor } from '../processors/event-processor/event-processor.js';
import { createCredentialGuard, masksCredentials } from '../processors/redaction/credential-guard.js';
import { RegroupJobs } from '../query/regroup-jobs.js';
import { createRequestCounter } from '../telemetry/ledger.js';
import { BUILT_INS } from './built-in-components.js';
import { createFanOut } from './fan-out.js';
import { createSuggestionApplier } from './suggestion-applier.js';

/** What starts and stops with the pipelines. */
type RunningComponent = plugin.Component & Pick<Serves, 'drain'>;

/** A component with its id and kind. */
export interface ComponentInstance<Kind extends RunningComponent = RunningComponent> {
  /** The configured id. */
  readonly id: string;
  /** `receiver`, `processor`, `exporter`, `extension` or `telemetry`. */
  readonly kind: string;
  readonly component: Kind;
  /** What it serves over HTTP. */
  readonly routes: readonly ServedRoutes[];
}

/** A store, which the next pipelines reuse while it is open if their basis is equal. */
export interface StoreInstance extends ComponentInstance<StoreExporter> {
  /** The settings that decide how it works, as plain data. */
  readonly basis: unknown;
}

export interface PipelinesOptions extends Omit<Internal, 'authenticatorOf'> {
  readonly servers: HttpServers;
  /** Whether the grouping rules of a data folder apply instead of those of the settings. */
  readonly keepsGroupingRules: boolean;
  /** Components of plugins, see `hostPlugins`. */
  readonly plugins: Factories;
  /** Called when the files of a store were removed. */
  readonly onStoreLost: (store: StoreInstance, fault: Fault) => void;
}

/** State of a receiver that is kept over reloads. */
interface KeptState {
  readonly basis: unknown;
  readonly memory: unknown;
}

/** What the next pipelines take over on a reload. */
interface Previous {
  readonly openStores: readonly StoreInstance[];
  readonly states: ReadonlyMap<string, KeptState>;
}

const NOTHING_BEFORE: Previous = { openStores: [], states: new Map() };

/** All components of a configuration, connected but not started. */
export class Pipelines {
  /** The collector's own metrics; empty if they are not served. */
  readonly metrics: readonly ComponentInstance<Extension>[];
  readonly stores: readonly StoreInstance[];
  readonly receivers: readonly ComponentInstance<Receiver>[];
  readonly extensions: readonly ComponentInstance<Extension>[];
  /** By receiver. */
  readonly keptStates = new Map<string, KeptState>();
  /** The components in the order of their start, by stage; they stop in reverse order. */
  readonly stages: readonly (readonly ComponentInstance[])[];

  readonly #settings: Settings;
  readonly #options: PipelinesOptions;
  readonly #previous: Previous;
  readonly #factories: Factories;
  readonly #pipelines: readonly (readonly [name: string, PipelineSettings])[];
  readonly #followers: readonly ComponentInstance<FollowingExporter>[];
  /** The processors of each pipeline, in order. */
  readonly #processors: ComponentInstance[] = [];
  /** What a pipeline's receivers send to: its first processor, or its stores. By name of the pipeline. */
  readonly #heads: ReadonlyMap<string, Consumer>;
  readonly #authenticators: ReadonlyMap<string, Authenticator>;
  readonly #regroupings: RegroupJobs;

  /** Reuses open stores with an equal basis. Throws `COMPONENT_UNKNOWN` and `ROUTE_WITHOUT_ACCESS`. */
  constructor(settings: Settings, options: PipelinesOptions, previous: Previous = NOTHING_BEFORE) {
    this.#settings = settings;
    this.#options = options;
    this.#previous = previous;
    this.#factories = withPlugins(options.plugins);
    this.#pipelines = Object.entries(settings.service.pipelines);
    this.#regroupings = new RegroupJobs({ store: () => this.#firstStore().opened(), logger: options.logger });

    this.metrics = this.#buildMetrics();
    const exporterIds = this.#idsOf('exporters');
    this.stores = exporterIds.filter(isStore).map((id) => this.#buildStore(id));
    this.#followers = exporterIds.filter((id) => !isStore(id)).map((id) => this.#buildFollower(id));
    this.#heads = new Map(this.#pipelines.map(([name, pipeline]) => [name, this.#buildProcessors(pipeline)]));
    // Before the components that use them.
    const extensionIds = [...new Set(settings.service.extensions)];
    const deciding = extensionIds.filter(isAuthenticator).map((id) => this.#buildExtension(id));
    this.#authenticators = authenticatorsOf(deciding);
    this.receivers = this.#idsOf('receivers').map((id) => this.#buildReceiver(id));
    const others = extensionIds.filter((id) => !isAuthenticator(id)).map((id) => this.#buildExtension(id));
    this.extensions = [...deciding, ...others];
    this.stages = this.#inOrderOfStart();
  }

  /** What all components serve over HTTP. */
  get routes(): readonly ServedRoutes[] {
    return this.stages.flat().flatMap(({ routes }) => routes);
  }

  #inOrderOfStart(): readonly (readonly ComponentInstance[])[] {
    const reportsHealth = ({ component }: ComponentInstance<Extension>) => component.reportsHealth === true;
    return [
      // Health checks start first and stop last.
      [...this.metrics, ...this.extensions.filter(reportsHealth)],
      this.stores,
      this.#followers,
      this.#processors,
      // Reading opens before receiving, so that clients can read events as soon as they are accepted.
      [...this.extensions.filter((extension) => !reportsHealth(extension)), ...this.#buildSuggestionApplier()],
      this.receivers,
    ];
  }

  #buildMetrics(): ComponentInstance<Extension>[] {
    const server = createMetricsServer(this.#settings.service.telemetry.metrics, this.#options);
    return server === undefined ? [] : [this.#instanceOf('telemetry', 'metrics', server)];
  }

  #buildStore(id: string): StoreInstance {
    const grouping = this.#options.keepsGroupingRules ? undefined : this.#settings.grouping;
    const basis = [id, this.#settings.exporters[id], grouping];
    const open = this.#previous.openStores.find((store) => isDeepStrictEqual(store.basis, basis));
    if (open !== undefined) return open;
    const component = this.#createExporter(id, {
      store: { opened: () => instance.component.opened() },
      groupingRules: grouping && groupingOf(grouping, FINGERPRINT_VERSION),
      onLost: (fault) => this.#options.onStoreLost(instance, fault),
    });
    if (!('opened' in component)) throw unknownComponent('store', id);
    const instance: StoreInstance = { id, kind: 'exporter', component, routes: [], basis };
    return instance;
  }

  #buildFollower(id: string): ComponentInstance<FollowingExporter> {
    const [, pipeline] = this.#pipelines.find(([, { exporters }]) => exporters.includes(id)) ?? [];
    const [store] = pipeline === undefined ? [] : this.#storesOf(pipeline);
    if (store === undefined) throw new Fault('COMPONENT_UNKNOWN', 'a pipeline has no exporter that keeps its events');
    const component = this.#createExporter(id, { store });
    if ('opened' in component) throw unknownComponent('exporter', id);
    const follower =
      'delivery' in component ? new HostedExporter(id, component, { ...this.#internal(id), store }) : component;
    return { id, kind: 'exporter', component: follower, routes: [] };
  }

  #createExporter(id: string, ofExporters: Omit<ExporterInternal, keyof Internal>): Exporter {
    const { factory, settings } = this.#find('exporters', id);
    return factory.create(settings, this.#contextOf(id, { ...this.#internal(id), ...ofExporters }));
  }

  /** Builds the processors of a pipeline from the last to the first, because each forwards to the next. */
  #buildProcessors(pipeline: PipelineSettings): Consumer {
    const stores = this.#storesOf(pipeline);
    const grouper = () => (stores[0] ?? this.#firstStore()).opened().grouper;
    const head = pipeline.processors.reduceRight<Consumer>((consumer, id) => {
      const { factory, settings } = this.#find('processors', id);
      const internal = { ...this.#internal(id), consumer, grouper };
      const processor = factory.create(settings, this.#contextOf(id, internal));
      const component = processor.forwards === true ? processor : createEventProcessor(id, internal, processor);
      this.#processors.unshift({ id, kind: 'processor', component, routes: [] });
      return component;
    }, createFanOut(stores));
    return pipeline.processors.some((id) => this.#masksCredentials(id)) ? head : createCredentialGuard(head);
  }

  #masksCredentials(id: string): boolean {
    return parseComponentId(id).type === 'redaction' && masksCredentials(this.#find('processors', id).settings);
  }

  #buildReceiver(id: string): ComponentInstance<Receiver> {
    const { factory, settings } = this.#find('receivers', id);
    const fed = this.#pipelines.filter(([, { receivers }]) => receivers.includes(id));
    const [store = this.#firstStore()] = fed.flatMap(([, pipeline]) => this.#storesOf(pipeline));
    const ofAll = this.#internal(id);
    const internal: ReceiverInternal = {
      ...ofAll,
      consumer: createFanOut(fed.flatMap(([name]) => this.#heads.get(name) ?? [])),
      account: ofAll.ledger.account(id),
      reader: () => this.#firstStore().opened().reader,
      store,
      keepAcrossReloads: (basis, make) => this.#keptState(id, basis, make),
    };
    return this.#instanceOf('receiver', id, factory.create(settings, this.#contextOf(id, internal)));
  }

  #instanceOf<Kind extends Receiver | Extension>(kind: string, id: string, component: Kind): ComponentInstance<Kind> {
    const { servers, meters } = this.#options;
    const { routes: declared = [] } = component;
    const countsResponses = kind === 'receiver' && declared.length > 0;
    const onResponse = countsResponses ? createRequestCounter(meters, id, 'http') : undefined;
    // Metrics have no id in the settings, and people know their key.
    const name = kind === 'telemetry' ? METRICS_KEY : id;
    return { kind, id, component, routes: declared.map((routes) => servers.attach(name, routes, onResponse)) };
  }

  #keptState<Memory>(id: string, basis: unknown, make: () => Memory): Memory {
    const before = this.#previous.states.get(id);
    const memory = before !== undefined && isDeepStrictEqual(before.basis, basis) ? (before.memory as Memory) : make();
    this.keptStates.set(id, { basis, memory });
    return memory;
  }

  #buildExtension(id: string): ComponentInstance<Extension> {
    const { factory, settings } = this.#find('extensions', id);
    const { service, extensions } = this.#settings;
    const store = () => this.#firstStore().opened();
    const internal: ExtensionInternal = {
      ...this.#internal(id),
      reader: () => store().reader,
      actions: () => this.#actions(),
      releases: store,
      changes: store,
      regroupings: this.#regroupings,
      parts: () => service,
      serviceStats: () => this.#serviceStats(),
      settingsOf: (other) => (service.extensions.includes(other) ? extensions[other] : undefined),
    };
    return this.#instanceOf('extension', id, factory.create(settings, this.#contextOf(id, internal)));
  }

  #buildSuggestionApplier(): ComponentInstance[] {
    if (this.#settings.grouping.suggestions !== 'apply') return [];
    const component = createSuggestionApplier(this.#regroupings, this.#options.logger);
    return [{ id: 'suggestions', kind: 'extension', component, routes: [] }];
  }

  /** Finds the factory of a component by its type, and its settings, which the schema of this type has checked. */
  #find<Section extends keyof Factories>(section: Section, id: string) {
    const { type } = parseComponentId(id);
    const factories: Factories[Section] = this.#factories[section];
    const factory = Object.hasOwn(factories, type) ? factories[type] : undefined;
    const settings = Object.hasOwn(this.#settings[section], id) ? this.#settings[section][id] : undefined;
    if (factory === undefined || settings === undefined) throw unknownComponent(section.slice(0, -1), id);
    return { factory, settings: settings as never };
  }

  #contextOf<Given extends Internal>(id: string, internal: Given): plugin.Context & { readonly internal: Given } {
    const { logger, meters, ledger } = internal;
    return {
      id,
      logger,
      metrics: { count: (name, by) => meters.counter('faultline_plugin_items', { component: id, name }).add(by) },
      clock: { now: () => Date.now(), monotonic: () => performance.now() },
      ledger: { snapshot: () => ledger.snapshot() },
      internal,
    };
  }

  #internal(id: string): Internal {
    const { servers, ledger, meters, ingest, states, toleratesTakenPorts, logger } = this.#options;
    return {
      servers,
      ledger,
      meters,
      ingest,
      states,
      toleratesTakenPorts,
      logger: logger.child({ component: id }),
      authenticatorOf: (auth) => this.#authenticatorOf(auth),
    };
  }

  #authenticatorOf({ authenticator: id }: AuthSettings): Authenticator | undefined {
    if (id === undefined) return undefined;
    const authenticator = this.#authenticators.get(id);
    if (authenticator === undefined) throw unknownComponent('authenticator', id);
    return authenticator;
  }

  #idsOf(section: 'receivers' | 'exporters'): string[] {
    return [...new Set(this.#pipelines.flatMap(([, pipeline]) => pipeline[section]))];
  }

  #storesOf({ exporters }: PipelineSettings): StoreExporter[] {
    return this.stores.filter(({ id }) => exporters.includes(id)).map(({ component }) => component);
  }

  /** The store that readers and extensions use. */
  #firstStore(): StoreExporter {
    const [first] = this.stores;
    if (first === undefined) throw new Fault('COMPONENT_UNKNOWN', 'no exporter keeps events that could be read');
    return first.component;
  }

  /** Those of the store, unless a component shares them with other collectors. */
  #actions(): FailureActions {
    const [shared] = [...this.receivers, ...this.#followers].flatMap(({ component }) => component.actions ?? []);
    return shared === undefined ? this.#firstStore().opened() : shared();
  }

  #serviceStats(): ServiceStats {
    const listening = this.receivers
      .map(({ id, component }) => ({ id, urls: (component.urls ?? []).filter((url) => ADDRESS.test(url)) }))
      .filter(({ urls }) => urls.length > 0);
    return {
      endpoints: Object.fromEntries(listening.map(({ id, urls: [first = ''] }) => [id, first])),
      addresses: Object.fromEntries(listening.map(({ id, urls }) => [id, urls])),
      exporters: statsOf(this.#followers),
      ...(this.receivers.some(({ component }) => component.stats) && { gateways: statsOf(this.receivers) }),
      retention: this.#firstStore().retention,
    };
  }
}

function withPlugins(plugins: Factories): Factories {
  return {
    receivers: { ...plugins.receivers, ...BUILT_INS.receivers },
    processors: { ...plugins.processors, ...BUILT_INS.processors },
    exporters: { ...plugins.exporters, ...BUILT_INS.exporters },
    extensions: { ...plugins.extensions, ...BUILT_INS.extensions },
  };
}

function authenticatorsOf(extensions: readonly ComponentInstance<Extension>[]): ReadonlyMap<string, Authenticator> {
  return new Map(
    extensions.flatMap(({ id, component: { authenticator } }) =>
      authenticator === undefined ? [] : [[id, authenticator] as const],
    ),
  );
}

function statsOf<Stats>(
  instances: readonly ComponentInstance<plugin.Component & { stats?(): Stats }>[],
): Record<string, Stats> {
  return Object.fromEntries(
    instances.flatMap(({ id, component }) => {
      const stats = component.stats?.();
      return stats === undefined ? [] : [[id, stats]];
    }),
  );
}

/** As opposed to the paths of files. */
const ADDRESS = /^(?:https?|grpcs?):\/\//;

function unknownComponent(kind: string, id: string): Fault {
  return new Fault('COMPONENT_UNKNOWN', `no ${kind} ${id}: configure it, or remove it from the service`);
}

function isAuthenticator(id: string): boolean {
  return parseComponentId(id).type === 'bearertokenauth';
}
