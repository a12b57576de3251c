import { resolve } from 'node:path';
import { parseComponentId } from '../../config/component-id.js';
import { Fault } from '../../core/event/fault.js';
import { FINGERPRINT_VERSION } from '../../core/fingerprint/grouping-settings.js';
import { groupingOf } from '../../core/fingerprint/rules/grouping-section.js';
import type { StoreExporter } from '../exporters/store-exporter.js';
import { EXPORTERS, FOLLOWERS, type Follower } from '../factories.js';
import type { Blueprint } from './blueprint.js';
import { factoryOf, settingsOf } from './find-configured.js';
import type { Refit } from './line.js';
import { Part } from './part.js';
import { StoreSlot } from './store-slot.js';

/** The far end of a line. */
export class ExporterParts {
  readonly #blueprint: Blueprint;
  readonly stores: Part<StoreSlot>[] = [];
  readonly followers: readonly Part<Follower>[];
  /** What has to be done to stores of the line before. */
  readonly refits: Refit[] = [];

  constructor(blueprint: Blueprint) {
    this.#blueprint = blueprint;
    const ids = blueprint.idsOf('exporters');
    for (const id of ids.filter(isStore)) this.#addStore(id);
    this.followers = ids.filter((id) => !isStore(id)).map((id) => this.#follower(id));
  }

  /** The first store of a pipeline; undefined where there is no such pipeline. */
  storeOf(pipeline: string): Part<StoreSlot> | undefined {
    const { exporters } = this.#blueprint.settings.service.pipelines[pipeline] ?? {};
    return this.stores.find(({ id }) => exporters?.includes(id));
  }

  /** A folder has one writer: the store of the same folder stays, whatever it is called and set to now. */
  #addStore(id: string): void {
    const { settings: all, options, before } = this.#blueprint;
    const settings = settingsOf(all.exporters, id);
    const directory = 'directory' in settings ? resolve(settings.directory) : id;
    const grouping = options.keepsGroupingRules ? undefined : all.grouping;
    const spec = { id, kind: 'exporter', key: `store ${directory}`, basis: [id, settings, grouping] };
    const isTaken = this.stores.some(({ key }) => key === spec.key);
    const known = isTaken ? undefined : before?.exporters.find(({ key }) => key === spec.key);
    if (known?.isAsAsked(spec)) {
      this.stores.push(known);
      return;
    }
    const groupingRules = grouping && groupingOf(grouping, FINGERPRINT_VERSION);
    const onLost = (fault: Fault): void => options.onStoreLost(id, fault);
    const build = (): StoreExporter =>
      factoryOf(EXPORTERS, 'exporter', id)(id, settings, { ...this.#blueprint.around(id), groupingRules, onLost });
    const slot = known?.component ?? new StoreSlot(build);
    const part = new Part({ ...spec, entry: slot.entry }, () => slot);
    this.stores.push(part);
    if (known !== undefined) this.refits.push({ part, build });
  }

  #follower(id: string): Part<Follower> {
    const { settings: all, before, pipelines } = this.#blueprint;
    const [name] = pipelines.find(([, { exporters }]) => exporters.includes(id)) ?? [];
    const store = name === undefined ? undefined : this.storeOf(name);
    if (store === undefined) throw new Fault('COMPONENT_UNKNOWN', 'a pipeline has no exporter that keeps its events');
    const settings = settingsOf(all.exporters, id);
    // One whose store is closed and opened again follows it from anew.
    const basis = [settings, store.key, store.basis];
    const spec = { id, kind: 'exporter', key: `exporter ${id}`, basis, isAlone: true };
    return this.#blueprint.keptOr(before?.followers, spec, () => {
      const build = factoryOf(FOLLOWERS, 'exporter', id);
      return new Part(spec, () => build(id, settings, { ...this.#blueprint.around(id), store: store.component }));
    });
  }
}

function isStore(id: string): boolean {
  return parseComponentId(id).type === 'store';
}
