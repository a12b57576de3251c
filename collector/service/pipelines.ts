import { isDeepStrictEqual } from 'node:util';
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
import { createMetricsServer } from '../extensions/metrics-server.js';
import type { QuerySources } from '../extensions/query-extension.js';
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
  /** Whether the grouping rules of a data folder apply instead of those of the settings. */
  readonly keepsGroupingRules: boolean;
  readonly plugins: HostedPlugins;
  /** Called when the files of a store were removed. */
  readonly onStoreLost: (store: StoreInstance, fault: Fault) => void;
}

/** All components, connected but not started. */
export type Pipelines = ReturnType<typeof buildPipelines>;

/** Builds the components of settings. Reuses open stores with an equal basis. Throws `COMPONENT_UNKNOWN` and `ROUTE_TAKEN`. */
export function buildPipelines(
  settings: Settings,
  options: PipelinesOptions,
  openStores: readonly StoreInstance[] = [],
  /** State of receivers that is kept over reloads, by id. */
  statesBefore?: ReadonlyMap<string, { readonly basis: unknown; readonly memory: unknown }>,
) {
  const { plugins, logger } = options;
  const pipelines = Object.entries(settings.service.pipelines);
  const authenticators = new Map<string, Extension>();
  const keptStates = new Map<string, { readonly basis: unknown; readonly memory: unknown }>();

  function buildStore(id: string): StoreInstance {
    const grouping = options.keepsGroupingRules ? undefined : settings.grouping;
    const basis = [id, settings.exporters[id], grouping];
    const open = openStores.find((store) => isDeepStrictEqual(store.basis, basis));
    if (open !== undefined) return open;
    const groupingRules = grouping && groupingOf(grouping, FINGERPRINT_VERSION);
    const onLost = (fault: Fault): void => options.onStoreLost(instance, fault);
    const built = build('exporter', EXPORTERS, {}, settings.exporters, id, { groupingRules, onLost });
    const instance: StoreInstance = { ...built, basis };
    return instance;
  }

  function buildStreamingExporter(id: string): ComponentInstance<StreamingExporter> {
    const pipeline = pipelines.find(([, { exporters }]) => exporters.includes(id))?.[1];
    const store = pipeline === undefined ? undefined : storesOf(pipeline)[0];
    if (store === undefined) throw new Fault('COMPONENT_UNKNOWN', 'a pipeline has no exporter that keeps its events');
    return build('exporter', STREAMING_EXPORTERS, plugins.exporters, settings.exporters, id, { store });
  }

  function buildProcessors(pipeline: PipelineSettings, built: ComponentInstance<Processor>[]): Consumer {
    const own = storesOf(pipeline);
    const grouper = () => (own[0] ?? firstStore()).opened().grouper;
    return pipeline.processors.reduceRight<Consumer>((consumer, id) => {
      const needs = { consumer, grouper };
      const instance = build('processor', PROCESSORS, plugins.processors, settings.processors, id, needs);
      built.unshift(instance);
      return instance.component;
    }, createFanOut(own));
  }

  function buildReceiver(id: string, heads: ReadonlyMap<string, Consumer>): ComponentInstance<Receiver> {
    const fed = pipelines.filter(([, { receivers: fedBy }]) => fedBy.includes(id));
    const consumer = createFanOut(fed.flatMap(([name]) => heads.get(name) ?? []));
    const [store = firstStore()] = fed.flatMap(([, pipeline]) => storesOf(pipeline));
    const keepAcrossReloads = <Memory>(basis: unknown, make: () => Memory): Memory => {
      const kept = statesBefore?.get(id);
      const memory = kept !== undefined && isDeepStrictEqual(kept.basis, basis) ? (kept.memory as Memory) : make();
      keptStates.set(id, { basis, memory });
      return memory;
    };
    const needs = { consumer, reader: () => firstStore().opened().reader, store, keepAcrossReloads };
    return build('receiver', RECEIVERS, plugins.receivers, settings.receivers, id, needs);
  }

  function buildExtension(id: string): ComponentInstance<Extension> {
    const { service, extensions: configured } = settings;
    return build('extension', EXTENSIONS, plugins.extensions, configured, id, {
      reader: () => firstStore().opened().reader,
      actions,
      releases: () => firstStore().opened(),
      changes: () => firstStore().opened(),
      regroupings,
      parts: () => service,
      serviceStats,
      settingsOf: (other) => (service.extensions.includes(other) ? configured[other] : undefined),
    });
  }

  function build<Settings, Needs, Built extends Component>(
    kind: string,
    factories: Factories<Settings, Needs, Built>,
    plugged: Factories<Settings, Needs, Built>,
    section: Readonly<Record<string, Settings>>,
    id: string,
    needs: Needs,
  ): ComponentInstance<Built> {
    const { type } = parseComponentId(id);
    const factory = [factories, plugged].find((one) => Object.hasOwn(one, type))?.[type];
    const own = Object.hasOwn(section, id) ? section[id] : undefined;
    if (factory === undefined || own === undefined) throw unknownComponent(kind, id);
    return { id, kind, component: factory(id, own, { ...contextOf(id), ...needs }) };
  }

  function contextOf(id: string): ComponentContext {
    return {
      ...options,
      logger: logger.child({ component: id }),
      authenticatorOf: ({ authenticator }) => {
        if (authenticator === undefined) return undefined;
        const known = authenticators.get(authenticator)?.authenticator;
        if (known === undefined) throw unknownComponent('authenticator', authenticator);
        return known;
      },
    };
  }

  function idsOf(list: 'receivers' | 'exporters'): string[] {
    return [...new Set(pipelines.flatMap(([, pipeline]) => pipeline[list]))];
  }

  function storesOf({ exporters }: PipelineSettings): StoreExporter[] {
    return stores.filter(({ id }) => exporters.includes(id)).map(({ component }) => component);
  }

  /** The store that readers and extensions use. */
  function firstStore(): StoreExporter {
    const [first] = stores;
    if (first === undefined) throw new Fault('COMPONENT_UNKNOWN', 'no exporter keeps events that could be read');
    return first.component;
  }

  /** Those of the store, unless a component shares them with other collectors. */
  function actions(): FailureActions {
    const [shared] = [...receivers, ...streamingExporters].flatMap(({ component }) => component.actions ?? []);
    return (shared ?? firstStore().opened)();
  }

  function serviceStats(): ReturnType<QuerySources['serviceStats']> {
    const listening = receivers
      .map(({ id, component }) => ({ id, urls: component.urls.filter((url) => ADDRESS.test(url)) }))
      .filter(({ urls }) => urls.length > 0);
    return {
      endpoints: Object.fromEntries(listening.map(({ id, urls: [first = ''] }) => [id, first])),
      addresses: Object.fromEntries(listening.map(({ id, urls }) => [id, urls])),
      exporters: statsOf(streamingExporters),
      ...(receivers.some(({ component }) => component.stats) && { gateways: statsOf(receivers) }),
      retention: firstStore().retention,
    };
  }

  const server = createMetricsServer(settings.service.telemetry.metrics, options);
  /** The collector's own metrics; empty if they are not served. */
  const metrics: ComponentInstance<Extension>[] =
    server === undefined ? [] : [{ id: 'metrics', kind: 'telemetry', component: server }];
  const stores = idsOf('exporters').filter(isStore).map(buildStore);
  const streamingExporters = idsOf('exporters')
    .filter((id) => !isStore(id))
    .map(buildStreamingExporter);
  /** The processors of each pipeline, in order. */
  const processors: ComponentInstance<Processor>[] = [];
  const heads = new Map(pipelines.map(([name, pipeline]) => [name, buildProcessors(pipeline, processors)]));
  const regroupings = new RegroupJobs({ store: () => firstStore().opened(), logger });
  const applier = createSuggestionApplier(regroupings, logger);
  const isApplying = settings.grouping.suggestions === 'apply';
  const appliers = isApplying ? [{ id: 'suggestions', kind: 'extension', component: applier }] : [];
  const ids = [...new Set(settings.service.extensions)];
  // Authenticators are built before the components that use them.
  const deciding = ids.filter(isAuthenticator).map(buildExtension);
  for (const { id, component } of deciding) authenticators.set(id, component);
  const receivers = idsOf('receivers').map((id) => buildReceiver(id, heads));
  const extensions = [...deciding, ...ids.filter((id) => !isAuthenticator(id)).map(buildExtension)];
  // Health checks start first and stop last.
  const watching = extensions.filter(({ component }) => component.reportsHealth === true);
  const others = extensions.filter(({ component }) => component.reportsHealth !== true);
  /** The components in the order of their start, by stage; they stop in reverse order. */
  const stages: readonly (readonly ComponentInstance[])[] = [
    [...metrics, ...watching],
    stores,
    streamingExporters,
    processors,
    // Reading opens before receiving, so that clients can read events as soon as they are accepted.
    [...others, ...appliers],
    receivers,
  ];
  return { metrics, stores, receivers, extensions, keptStates, stages };
}

function statsOf<Stats>(
  instances: readonly ComponentInstance<Component & { stats?(): Stats }>[],
): Record<string, Stats> {
  const stats = instances.map(({ id, component }) => [id, component.stats?.()] as const);
  return Object.fromEntries(stats.filter((one): one is [string, Stats] => one[1] !== undefined));
}

/** As opposed to the paths of files. */
const ADDRESS = /^(?:https?|grpcs?):\/\//;

function unknownComponent(kind: string, id: string): Fault {
  return new Fault('COMPONENT_UNKNOWN', `no ${kind} ${id}: configure it, or remove it from the service`);
}

function isAuthenticator(id: string): boolean {
  return parseComponentId(id).type === 'bearertokenauth';
}
