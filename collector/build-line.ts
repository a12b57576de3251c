import type { Logger } from 'pino';
import { parseComponentId } from '../config/component-id.js';
import type { Settings } from '../config/settings.js';
import { Fault } from '../core/event/fault.js';
import { FINGERPRINT_VERSION } from '../core/fingerprint/grouping-settings.js';
import { groupingOf } from '../core/fingerprint/rules/grouping-section.js';
import type { Component } from './component.js';
import {
  EXPORTERS,
  EXTENSIONS,
  type Exporter,
  type Extension,
  PROCESSORS,
  type Processor,
  RECEIVERS,
  type Receiver,
  type Surroundings,
} from './factories.js';
import { createFanOut } from './fan-out.js';
import type { ServerPool } from './http/server-pool.js';
import type { Consumer } from './pipeline.js';
import { RegroupJobs } from './query/regroup-jobs.js';
import type { Ledger } from './telemetry/ledger.js';

/** A component with the id under which it is configured; a processor has one instance for each pipeline. */
export interface Named<Kind extends Component> {
  readonly id: string;
  /** For people: `receiver`, `processor`, `exporter` or `extension`. */
  readonly kind: string;
  readonly component: Kind;
}

/** Everything that runs, by kind. */
export interface Line {
  readonly exporters: readonly Named<Exporter>[];
  readonly processors: readonly Named<Processor>[];
  readonly extensions: readonly Named<Extension>[];
  readonly receivers: readonly Named<Receiver>[];
}

/** What a line is built with. */
export interface LineOptions {
  readonly servers: ServerPool;
  readonly ledger: Ledger;
  readonly logger: Logger;
  /** Whether the rules of a data folder group on, instead of those of the settings. */
  readonly keepsGroupingRules: boolean;
}

const ADDRESS = /^(?:https?|grpcs?):\/\//;

/** Builds what the service's settings name, from the far end: nothing is started. Throws `COMPONENT_UNKNOWN` and `ROUTE_TAKEN`. */
export function buildLine(settings: Settings, options: LineOptions): Line {
  const pipelines = Object.values(settings.service.pipelines);
  const around = (id: string): Surroundings => ({ ...options, logger: options.logger.child({ component: id }) });

  const groupingRules = options.keepsGroupingRules ? undefined : groupingOf(settings.grouping, FINGERPRINT_VERSION);
  const exporters = named(
    'exporter',
    pipelines.flatMap((pipeline) => pipeline.exporters),
    (id, kind) =>
      factoryOf(EXPORTERS, kind, id)(id, settingsOf(settings.exporters, id), { ...around(id), groupingRules }),
  );

  const processors: Named<Processor>[] = [];
  const heads = pipelines.map((pipeline) => {
    const ends = exporters.filter(({ id }) => pipeline.exporters.includes(id)).map(({ component }) => component);
    return pipeline.processors.reduceRight<Consumer>((consumer, id) => {
      const build = factoryOf(PROCESSORS, 'processor', id);
      const component = build(id, settingsOf(settings.processors, id), { ...around(id), consumer });
      processors.unshift({ id, kind: 'processor', component });
      return component;
    }, createFanOut(ends));
  });

  const reader = () => firstExporter(exporters).reader();
  const actions = () => firstExporter(exporters).actions();
  const changes = () => firstExporter(exporters).changes();
  const regroupings = new RegroupJobs({
    store: () => firstExporter(exporters).regrouping(),
    logger: options.logger,
  });
  const receivers = named(
    'receiver',
    pipelines.flatMap((pipeline) => pipeline.receivers),
    (id, kind) => {
      const consumer = createFanOut(heads.filter((_, place) => pipelines[place]?.receivers.includes(id)));
      const build = factoryOf(RECEIVERS, kind, id);
      return build(id, settingsOf(settings.receivers, id), { ...around(id), consumer, reader });
    },
  );

  const extensions = named('extension', settings.service.extensions, (id, kind) =>
    factoryOf(EXTENSIONS, kind, id)(id, settingsOf(settings.extensions, id), {
      ...around(id),
      reader,
      actions,
      changes,
      regroupings,
      endpoints: () => endpointsOf(receivers),
    }),
  );
  return { exporters, processors, extensions, receivers };
}

/** The first address of each receiver that listens; one that follows files names those. */
function endpointsOf(receivers: readonly Named<Receiver>[]): Record<string, string> {
  return Object.fromEntries(
    receivers.flatMap(({ id, component }) => {
      const url = component.urls.find((one) => ADDRESS.test(one));
      return url === undefined ? [] : [[id, url]];
    }),
  );
}

function named<Kind extends Component>(
  kind: string,
  ids: readonly string[],
  build: (id: string, kind: string) => Kind,
): Named<Kind>[] {
  return [...new Set(ids)].map((id) => ({ id, kind, component: build(id, kind) }));
}

function factoryOf<Build>(factories: Readonly<Record<string, Build>>, kind: string, id: string): Build {
  const { type } = parseComponentId(id);
  const build = Object.hasOwn(factories, type) ? factories[type] : undefined;
  if (build === undefined) throw unknownComponent(kind, id);
  return build;
}

function settingsOf<One>(section: Readonly<Record<string, One>>, id: string): One {
  const settings = Object.hasOwn(section, id) ? section[id] : undefined;
  if (settings === undefined) throw unknownComponent('component', id);
  return settings;
}

function unknownComponent(kind: string, id: string): Fault {
  return new Fault('COMPONENT_UNKNOWN', `there is no ${kind} ${id}: configure it, or take it out of the service`);
}

function firstExporter(exporters: readonly Named<Exporter>[]): Exporter {
  const [first] = exporters;
  if (first === undefined) throw new Fault('COMPONENT_UNKNOWN', 'no exporter keeps events that could be read');
  return first.component;
}
