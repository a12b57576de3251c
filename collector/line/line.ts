import { Fault } from '../../core/event/fault.js';
import type { ExporterStats } from '../../generated/reader-answers.js';
import type { ServiceSettings } from '../../generated/settings.js';
import type { Component } from '../component.js';
import type { StoreExporter } from '../exporters/store-exporter.js';
import type { Extension, Follower, Processor, Receiver } from '../factories.js';
import type { MetricsServer } from '../telemetry/metrics-server.js';
import type { Part } from './part.js';
import type { StoreSlot } from './store-slot.js';

/** A store that stays in its folder and gets other settings. */
export interface Refit {
  readonly part: Part<StoreSlot>;
  readonly build: () => StoreExporter;
}

/** Everything that runs, by kind, and how it is connected. */
export interface Line {
  readonly settings: ServiceSettings;
  readonly metrics: readonly Part<MetricsServer>[];
  readonly exporters: readonly Part<StoreSlot>[];
  readonly followers: readonly Part<Follower>[];
  readonly processors: readonly Part<Processor>[];
  readonly extensions: readonly Part<Extension>[];
  readonly receivers: readonly Part<Receiver>[];
  /** Which of the exporters have to get other settings before this line can run. */
  readonly refits: readonly Refit[];
  /** The store of a pipeline; undefined where there is no such pipeline. */
  storeOf(pipeline: string): StoreExporter | undefined;
  /** Connects what was kept of the line before with what is new, in one turn. */
  connect(): void;
}

const ADDRESS = /^(?:https?|grpcs?):\/\//;

/** The parts in the order in which they are started, stage after stage; they stop the other way round. */
export function stagesOf(line: Line): readonly (readonly Part<Component>[])[] {
  const { metrics, exporters, followers, processors, extensions, receivers } = line;
  // Those who tell how the others are come first and go last.
  const watching = extensions.filter(({ component }) => component.isWatching === true);
  const others = extensions.filter(({ component }) => component.isWatching !== true);
  // Whoever is told that events are taken may look at them at once: reading opens before receiving.
  return [[...metrics, ...watching], exporters, followers, processors, others, receivers];
}

/** The exporter that is read. */
export function firstExporter({ exporters }: Pick<Line, 'exporters'>): StoreExporter {
  const [first] = exporters;
  if (first === undefined) throw new Fault('COMPONENT_UNKNOWN', 'no exporter keeps events that could be read');
  return first.component;
}

/** What those tell that send what is stored, by id. */
export function exporterStatsOf({ followers }: Pick<Line, 'followers'>): Record<string, ExporterStats> {
  return Object.fromEntries(
    followers.flatMap(({ id, component }) => {
      const stats = component.stats?.();
      return stats === undefined ? [] : [[id, stats]];
    }),
  );
}

/** The first address of each receiver that listens. */
export function endpointsOf({ receivers }: Pick<Line, 'receivers'>): Record<string, string> {
  return Object.fromEntries(
    receivers.flatMap(({ id, component }) => {
      const url = component.urls.find((one) => ADDRESS.test(one));
      return url === undefined ? [] : [[id, url]];
    }),
  );
}
