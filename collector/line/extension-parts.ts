import { parseComponentId } from '../../config/component-id.js';
import { EXTENSIONS, type Extension } from '../factories.js';
import { RegroupJobs } from '../query/regroup-jobs.js';
import type { Blueprint } from './blueprint.js';
import { factoryOf, settingsOf } from './find-configured.js';
import { endpointsOf, exporterStatsOf, firstExporter } from './line.js';
import { Part } from './part.js';

/** The extensions of a line: those that decide who may call, and those that are called. */
export class ExtensionParts {
  readonly #blueprint: Blueprint;
  readonly #regroupings: RegroupJobs;
  readonly #ids: readonly string[];

  constructor(blueprint: Blueprint) {
    const { running, logger } = blueprint.options;
    this.#blueprint = blueprint;
    this.#regroupings = new RegroupJobs({ store: () => firstExporter(running()).regrouping(), logger });
    this.#ids = [...new Set(blueprint.settings.service.extensions)];
  }

  /** Also tells the blueprint of them. */
  buildDeciding(): Part<Extension>[] {
    const parts = this.#ids.filter(isAuthenticator).map((id) => this.#extension(id));
    for (const part of parts) this.#blueprint.addAuthenticator(part);
    return parts;
  }

  /** After those that decide. */
  buildServing(): Part<Extension>[] {
    return this.#ids.filter((id) => !isAuthenticator(id)).map((id) => this.#extension(id));
  }

  #extension(id: string): Part<Extension> {
    const settings = settingsOf(this.#blueprint.settings.extensions, id);
    // Those that read share the regroupings, which the first one that stops calls off: they are replaced together.
    const basis = isQuery(id) ? this.#ids.filter(isQuery).map((one) => this.#basisOf(one)) : this.#basisOf(id);
    const spec = { id, kind: 'extension', key: `extension ${id}`, basis };
    return this.#blueprint.keptOr(this.#blueprint.before?.extensions, spec, () => {
      const build = factoryOf(EXTENSIONS, 'extension', id);
      const { running } = this.#blueprint.options;
      const needs = {
        ...this.#blueprint.around(id),
        reader: () => firstExporter(running()).reader(),
        actions: () => firstExporter(running()).actions(),
        changes: () => firstExporter(running()).changes(),
        regroupings: this.#regroupings,
        parts: () => running().settings,
        endpoints: () => endpointsOf(running()),
        exporters: () => exporterStatsOf(running()),
      };
      return new Part(spec, () => build(id, settings, needs));
    });
  }

  #basisOf(id: string): readonly unknown[] {
    return [id, this.#blueprint.withAuthenticators(settingsOf(this.#blueprint.settings.extensions, id))];
  }
}

function isAuthenticator(id: string): boolean {
  return parseComponentId(id).type === 'bearertokenauth';
}

function isQuery(id: string): boolean {
  return parseComponentId(id).type === 'query';
}
