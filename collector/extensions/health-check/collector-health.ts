import { parseComponentId } from '../../../config/values/component-id.js';
import type { PipelineSettings } from '../../../generated/settings.js';
import type { ComponentState, ComponentStates } from '../../telemetry/component-states.js';
import { type Health, healthOf, togetherOf } from './component-health.js';

/** What runs, by the configuration: pipelines by id, and ids of extensions. */
export interface RunningParts {
  readonly pipelines: Readonly<Record<string, PipelineSettings>>;
  readonly extensions: readonly string[];
}

/** What stands between a collector and taking events. */
export interface Obstacle {
  /** As `exporter:store`. */
  readonly component: string;
  readonly status: string;
  readonly error?: string;
}

/** Looks at the states of all components. */
export interface CollectorHealth {
  /** All of it: `extensions`, and each pipeline as `pipeline:<id>`. */
  collector(): Health;
  /** One pipeline and its components; undefined where there is none of that id. */
  pipeline(id: string): Health | undefined;
  /**
   * Why not every pipeline takes events; none where all do. Exporters that only send what a store keeps are not asked: the store takes events while they fail.
   */
  obstacles(): readonly Obstacle[];
}

/** Builds a look at the states, which are read anew by each call. `bornAtMs` is the start of the collector, milliseconds since the epoch. */
export function createCollectorHealth(
  states: Pick<ComponentStates, 'snapshot'>,
  parts: () => RunningParts,
  bornAtMs: number,
): CollectorHealth {
  const byKey = (): Map<string, ComponentState> =>
    new Map(states.snapshot().map((state) => [`${state.kind}:${state.id}`, state]));

  const together = (keys: readonly string[], known: ReadonlyMap<string, ComponentState>): Health =>
    togetherOf(Object.fromEntries(keys.map((key) => [key, healthOf(known.get(key), bornAtMs)])), bornAtMs);

  return {
    collector() {
      const { pipelines, extensions } = parts();
      const known = byKey();
      const named = Object.entries(pipelines).map(([id, pipeline]) => [
        `pipeline:${id}`,
        together(keysOf(pipeline), known),
      ]);
      const keys = extensions.map((id) => `extension:${id}`);
      return togetherOf({ extensions: together(keys, known), ...Object.fromEntries(named) }, bornAtMs);
    },
    pipeline(id) {
      const { pipelines } = parts();
      const pipeline = Object.hasOwn(pipelines, id) ? pipelines[id] : undefined;
      return pipeline && together(keysOf(pipeline), byKey());
    },
    obstacles() {
      const known = byKey();
      const keys = new Set(Object.values(parts().pipelines).flatMap((pipeline) => takingKeysOf(pipeline)));
      return [...keys].flatMap((key) => {
        const { status, error } = healthOf(known.get(key), bornAtMs);
        if (status === 'StatusOK') return [];
        return [{ component: key, status, ...(error !== undefined && { error }) }];
      });
    },
  };
}

function keysOf({ receivers, processors, exporters }: PipelineSettings): string[] {
  return [...keyed('receiver', receivers), ...keyed('processor', processors), ...keyed('exporter', exporters)];
}

/** Of those that an event passes before its sender is answered. */
function takingKeysOf({ exporters, ...pipeline }: PipelineSettings): string[] {
  return keysOf({ ...pipeline, exporters: exporters.filter((id) => parseComponentId(id).type === 'store') });
}

function keyed(kind: string, ids: readonly string[]): string[] {
  return ids.map((id) => `${kind}:${id}`);
}
