import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { parseComponentId } from '../../config/values/component-id.js';
import type { FailureActions } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import { FINGERPRINT_VERSION } from '../../core/fingerprint/grouping-settings.js';
import { groupingOf } from '../../core/fingerprint/rules/check-grouping.js';
import type { PipelineSettings, Settings } from '../../generated/settings.js';
import type { Component, ComponentContext } from '../component/component.js';
import type { Consumer } from '../component/consumer.js';
import { isStore } from '../exporters/check-exporters.js';
import type { StoreExporter } from '../exporters/store-exporter.js';
import { createMetricsServer, type MetricsServer } from '../extensions/metrics-server.js';
import type { HostedPlugins } from '../plugins/host-plugins.js';
import { RegroupJobs } from '../query/regroup-jobs.js';
import {
  EXPORTERS,
  EXTENSIONS,
  type Extension,
  type Factories,
  PROCESSORS,
  type Processor,
  RECEIVERS,
  type Receiver,
  type ServiceStats,
  STREAMING_EXPORTERS,
  type StreamingExporter,
} from './factories.js';
import { createFanOut } from './fan-out.js';
import { createSuggestionApplier } from './suggestion-applier.js';

/** A component with its id and kind. */
export interface ComponentInstance<Kind extends Component = Component> {
  /** The configured id. */
  readonly id: string;
  /** `receiver`, `processor`, `exporter`, `extension` or `telemetry`. */
  readonly kind: string;
  readonly component: Kind;
}

/** A store, which the next pipelines reuse while it is open if their basis is equal. */
export interface StoreInstance extends ComponentInstance<StoreExporter> {
  /** The settings that decide how it works, as plain data. */
  readonly basis: unknown;
}

export interface PipelinesOptions extends Omit<ComponentContext, 'authenticatorOf'> {
  readonly logger: Logger;
  /** Whether the grouping rules of a data folder apply instead of those of the settings. */
  readonly keepsGroupingRules: boolean;
  readonly plugins: HostedPlugins;
  /** Called when the files of a store were removed. */
  readonly onStoreLost: (store: StoreInstance, fault: Fault) => void;
}

/** All components, connected but not started. Reuses open stores with an equal basis. Throws `COMPONENT_UNKNOWN` and `ROUTE_TAKEN`. */
export class Pipelines {
  /** The collector's own metrics; empty if they are not served. */
  readonly metrics: readonly ComponentInstance<MetricsServer>[];
  readonly stores: readonly StoreInstance[];
  readonly streamingExporters: readonly ComponentInstance<StreamingExporter>[];
  /** The processors of each pipeline, in order. */
  readonly processors: readonly ComponentInstance<Processor>[];
  readonly receivers: readonly ComponentInstance<Receiver>[];
  readonly extensions: readonly ComponentInstance<Extension>[];
  /** Empty unless suggestions are accepted automatically. */
  readonly #appliers: readonly ComponentInstance[];
  readonly #settings: Settings;
  readonly #options: PipelinesOptions;
  readonly #pipelines: readonly (readonly [string, PipelineSettings])[];
  readonly #authenticators = new Map<string, Extension>();
  /** State of receivers that is kept over reloads, by id. */
  readonly keptStates = new Map<string, { readonly basis: unknown; readonly memory: unknown }>();

  constructor(
    settings: Settings,
    options: PipelinesOptions,
    openStores: readonly StoreInstance[] = [],
    before?: Pipelines,
  ) {
    this.#settings = settings;
    this.#options = options;
    this.#pipelines = Object.entries(settings.service.pipelines);
    const exporters = this.#idsOf('exporters');
    this.metrics = this.#buildMetrics();
    this.stores = exporters.filter(isStore).map((id) => this.#buildStore(id, openStores));
    this.streamingExporters = exporters.filter((id) => !isStore(id)).map((id) => this.#buildStreamingExporter(id));
    const processors: ComponentInstance<Processor>[] = [];
    const heads = new Map(
      this.#pipelines.map(([name, pipeline]) => [name, this.#buildProcessors(pipeline, processors)]),
    );
    this.processors = processors;
    const regroupings = new RegroupJobs({ store: () => this.#firstStore().regrouping(), logger: options.logger });
    const applier = createSuggestionApplier(regroupings, options.logger);
    this.#appliers =
      settings.grouping.suggestions === 'apply' ? [{ id: 'suggestions', kind: 'extension', component: applier }] : [];
    const extensions = [...new Set(settings.service.extensions)];
    // Authenticators are built before the components that use them.
    const deciding = extensions.filter(isAuthenticator).map((id) => this.#buildExtension(id, regroupings));
    for (const { id, component } of deciding) this.#authenticators.set(id, component);
    this.receivers = this.#idsOf('receivers').map((id) => this.#buildReceiver(id, heads, before));
    const serving = extensions.filter((id) => !isAuthenticator(id));
    this.extensions = [...deciding, ...serving.map((id) => this.#buildExtension(id, regroupings))];
  }

  /** The components in the order of their start, by stage; they stop in reverse order. */
  get stages(): readonly (readonly ComponentInstance[])[] {
    // Health checks start first and stop last.
    const watching = this.extensions.filter(({ component }) => component.reportsHealth === true);
    const others = this.extensions.filter(({ component }) => component.reportsHealth !== true);
    // Reading opens before receiving, so that clients can read events as soon as they are accepted.
    return [
      [...this.metrics, ...watching],
      this.stores,
      this.streamingExporters,
      this.processors,
      [...others, ...this.#appliers],
      this.receivers,
    ];
  }

  #buildMetrics(): ComponentInstance<MetricsServer>[] {
    const component = createMetricsServer(this.#settings.service.telemetry.metrics, this.#options);
    return component === undefined ? [] : [{ id: 'metrics', kind: 'telemetry', component }];
  }

  #buildStore(id: string, openStores: readonly StoreInstance[]): StoreInstance {
    const grouping = this.#options.keepsGroupingRules ? undefined : this.#settings.grouping;
    const basis = [id, this.#settings.exporters[id], grouping];
    const open = openStores.find((store) => isDeepStrictEqual(store.basis, basis));
    if (open !== undefined) return open;
    const groupingRules = grouping && groupingOf(grouping, FINGERPRINT_VERSION);
    const onLost = (fault: Fault): void => this.#options.onStoreLost(instance, fault);
    const built = this.#build('exporter', EXPORTERS, {}, this.#settings.exporters, id, { groupingRules, onLost });
    const instance: StoreInstance = { ...built, basis };
    return instance;
  }

  #buildStreamingExporter(id: string): ComponentInstance<StreamingExporter> {
    const pipeline = this.#pipelines.find(([, { exporters }]) => exporters.includes(id))?.[1];
    const store = pipeline === undefined ? undefined : this.#storesOf(pipeline)[0];
    if (store === undefined) throw new Fault('COMPONENT_UNKNOWN', 'a pipeline has no exporter that keeps its events');
    const { exporters } = this.#options.plugins;
    return this.#build('exporter', STREAMING_EXPORTERS, exporters, this.#settings.exporters, id, { store });
  }

  #buildProcessors(pipeline: PipelineSettings, built: ComponentInstance<Processor>[]): Consumer {
    const stores = this.#storesOf(pipeline);
    const { processors } = this.#options.plugins;
    const grouper = () => (stores[0] ?? this.#firstStore()).regrouping().grouper;
    return pipeline.processors.reduceRight<Consumer>((consumer, id) => {
      const instance = this.#build('processor', PROCESSORS, processors, this.#settings.processors, id, {
        consumer,
        grouper,
      });
      built.unshift(instance);
      return instance.component;
    }, createFanOut(stores));
  }

  #buildReceiver(
    id: string,
    heads: ReadonlyMap<string, Consumer>,
    before: Pipelines | undefined,
  ): ComponentInstance<Receiver> {
    const fed = this.#pipelines.filter(([, { receivers }]) => receivers.includes(id));
    const consumer = createFanOut(fed.flatMap(([name]) => heads.get(name) ?? []));
    const reader = () => this.#firstStore().reader();
    const [ownStore = this.#firstStore()] = fed.flatMap(([, pipeline]) => this.#storesOf(pipeline));
    const keepAcrossReloads = <Memory>(basis: unknown, make: () => Memory): Memory => {
      const kept = before?.keptStates.get(id);
      const memory = kept !== undefined && isDeepStrictEqual(kept.basis, basis) ? (kept.memory as Memory) : make();
      this.keptStates.set(id, { basis, memory });
      return memory;
    };
    const { receivers } = this.#options.plugins;
    return this.#build('receiver', RECEIVERS, receivers, this.#settings.receivers, id, {
      consumer,
      reader,
      store: ownStore,
      keepAcrossReloads,
    });
  }

  #buildExtension(id: string, regroupings: RegroupJobs): ComponentInstance<Extension> {
    const { extensions } = this.#options.plugins;
    const { service, extensions: configured } = this.#settings;
    return this.#build('extension', EXTENSIONS, extensions, configured, id, {
      reader: () => this.#firstStore().reader(),
      actions: () => this.#actions(),
      releases: () => this.#firstStore().releases(),
      changes: () => this.#firstStore().changes(),
      regroupings,
      parts: () => this.#settings.service,
      serviceStats: () => this.#stats(),
      settingsOf: (other) => (service.extensions.includes(other) ? configured[other] : undefined),
    });
  }

  #build<Settings, Needs, Built extends Component>(
    kind: string,
    factories: Factories<Settings, Needs, Built>,
    plugins: Factories<Settings, Needs, Built>,
    section: Readonly<Record<string, Settings>>,
    id: string,
    needs: Needs,
  ): ComponentInstance<Built> {
    const { type } = parseComponentId(id);
    const build = [factories, plugins].find((one) => Object.hasOwn(one, type))?.[type];
    const settings = Object.hasOwn(section, id) ? section[id] : undefined;
    if (build === undefined || settings === undefined) throw unknownComponent(kind, id);
    return { id, kind, component: build(id, settings, { ...this.#contextOf(id), ...needs }) };
  }

  #contextOf(id: string): ComponentContext {
    return {
      ...this.#options,
      logger: this.#options.logger.child({ component: id }),
      authenticatorOf: ({ authenticator }) => {
        if (authenticator === undefined) return undefined;
        const known = this.#authenticators.get(authenticator)?.authenticator;
        if (known === undefined) throw unknownComponent('authenticator', authenticator);
        return known;
      },
    };
  }

  #idsOf(list: 'receivers' | 'exporters'): string[] {
    return [...new Set(this.#pipelines.flatMap(([, pipeline]) => pipeline[list]))];
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
    const [shared] = [...this.receivers, ...this.streamingExporters].flatMap(
      ({ component }) => component.actions ?? [],
    );
    return (shared ?? this.#firstStore().actions)();
  }

  #stats(): ServiceStats {
    const exporters = this.streamingExporters.flatMap(({ id, component }) => {
      const stats = component.stats?.();
      return stats === undefined ? [] : [[id, stats] as const];
    });
    const gateways = this.receivers.flatMap(({ id, component }) => {
      const stats = component.stats?.();
      return stats === undefined ? [] : [[id, stats] as const];
    });
    const receivers = this.receivers.map(({ id, component }) => ({
      id,
      urls: component.urls.filter((url) => ADDRESS.test(url)),
    }));
    const listening = receivers.filter(({ urls }) => urls.length > 0);
    return {
      endpoints: Object.fromEntries(listening.map(({ id, urls: [first = ''] }) => [id, first])),
      addresses: Object.fromEntries(listening.map(({ id, urls }) => [id, urls])),
      exporters: Object.fromEntries(exporters),
      ...(gateways.length > 0 && { gateways: Object.fromEntries(gateways) }),
      retention: this.#firstStore().retention,
    };
  }
}

/** As opposed to the paths of files. */
const ADDRESS = /^(?:https?|grpcs?):\/\//;

function unknownComponent(kind: string, id: string): Fault {
  return new Fault('COMPONENT_UNKNOWN', `no ${kind} ${id}: configure it, or remove it from the service`);
}

function isAuthenticator(id: string): boolean {
  return parseComponentId(id).type === 'bearertokenauth';
}
