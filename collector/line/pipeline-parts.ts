import { parseComponentId } from '../../config/component-id.js';
import type { PipelineSettings } from '../../generated/settings.js';
import type { StoreExporter } from '../exporters/store-exporter.js';
import { PROCESSORS, type Processor, RECEIVERS, type Receiver } from '../factories.js';
import type { Consumer } from '../pipeline.js';
import type { Blueprint } from './blueprint.js';
import type { ExporterParts } from './exporter-parts.js';
import { createFanOut } from './fan-out.js';
import { factoryOf, settingsOf, unknownComponent } from './find-configured.js';
import { firstExporter } from './line.js';
import { Part } from './part.js';
import { Passage } from './passage.js';

/** What lies before the stores: each pipeline's processors, then the receivers, which need the authenticators of the blueprint. */
export class PipelineParts {
  readonly #blueprint: Blueprint;
  readonly #exporters: ExporterParts;
  readonly #processors: Part<Processor>[] = [];
  /** The first consumer of each pipeline. */
  readonly #heads: ReadonlyMap<string, Consumer>;
  readonly #turns: (readonly [Passage | undefined, Consumer])[] = [];

  constructor(blueprint: Blueprint, exporters: ExporterParts) {
    this.#blueprint = blueprint;
    this.#exporters = exporters;
    this.#heads = new Map(blueprint.pipelines.map(([name, pipeline]) => [name, this.#head(name, pipeline)]));
  }

  /** Of each pipeline in its order. */
  get processors(): readonly Part<Processor>[] {
    return this.#processors;
  }

  buildReceivers(): Part<Receiver>[] {
    return this.#blueprint.idsOf('receivers').map((id) => this.#receiver(id));
  }

  /** Turns every passage to what comes after it in this line. */
  connect(): void {
    for (const [passage, next] of this.#turns) passage?.turn(next);
  }

  #head(name: string, { processors, exporters }: PipelineSettings): Consumer {
    const ends = this.#exporters.stores.filter(({ id }) => exporters.includes(id)).map(({ component }) => component);
    return processors.reduceRight<Consumer>((next, id, place) => {
      const nth = processors.slice(0, place).filter((other) => other === id).length;
      const part = this.#processor(id, name, nth, next);
      this.#processors.unshift(part);
      return part.entry ?? part.component;
    }, createFanOut(ends));
  }

  #processor(id: string, pipeline: string, nth: number, next: Consumer): Part<Processor> {
    const settings = settingsOf(this.#blueprint.settings.processors, id);
    const spec = { id, kind: 'processor', key: `processor ${pipeline} ${id} ${nth}`, basis: settings };
    const part = this.#blueprint.keptOr(this.#blueprint.before?.processors, spec, () => {
      const exit = new Passage(next);
      const component = factoryOf(PROCESSORS, 'processor', id)(id, settings, {
        ...this.#blueprint.around(id),
        consumer: exit,
        grouper: () => this.#storeNow(pipeline).regrouping().grouper,
      });
      return new Part({ ...spec, entry: new Passage(component), exit }, () => component);
    });
    this.#turns.push([part.exit, next]);
    return part;
  }

  #receiver(id: string): Part<Receiver> {
    const { settings: all, options, before, pipelines } = this.#blueprint;
    const settings = settingsOf(all.receivers, id);
    const fed = pipelines.filter(([, { receivers }]) => receivers.includes(id));
    const next = createFanOut(fed.flatMap(([name]) => this.#heads.get(name) ?? []));
    const isAlone = parseComponentId(id).type === 'file_log';
    const basis = this.#blueprint.withAuthenticators(settings);
    const spec = { id, kind: 'receiver', key: `receiver ${id}`, basis, isAlone };
    const part = this.#blueprint.keptOr(before?.receivers, spec, () => {
      const exit = new Passage(next);
      const build = factoryOf(RECEIVERS, 'receiver', id);
      const reader = () => firstExporter(options.running()).reader();
      const needs = { ...this.#blueprint.around(id), consumer: exit, reader };
      return new Part({ ...spec, exit }, () => build(id, settings, needs));
    });
    this.#turns.push([part.exit, next]);
    return part;
  }

  /** Of a pipeline in the line that runs; before the change-over in the one that is being built. */
  #storeNow(pipeline: string): StoreExporter {
    const running = this.#blueprint.options.running().storeOf(pipeline);
    const store = running ?? this.#exporters.storeOf(pipeline)?.component;
    if (store === undefined) throw unknownComponent('pipeline', pipeline);
    return store;
  }
}
