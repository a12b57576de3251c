import { parseComponentId } from '../../config/values/component-id.js';
import type { PipelineSettings } from '../../generated/settings.js';
import type { ComponentState, ComponentStates, ComponentStatus } from '../telemetry/component-states.js';

/** What is known of a component, or of several together, in the shape of the OpenTelemetry Collector's healthcheckv2. */
interface Health {
  /** Whether a look at this alone is answered by 200. */
  readonly healthy: boolean;
  readonly status: ComponentStatus;
  readonly error?: string;
  /** RFC 3339. */
  readonly status_time: string;
  readonly components?: Readonly<Record<string, Health>>;
}

/** Statuses of HTTP, as healthcheckv2 has them where errors of components are not opted in. */
const HTTP_STATUS: Readonly<Record<ComponentStatus, number>> = {
  StatusStarting: 503,
  StatusOK: 200,
  StatusRecoverableError: 200,
  StatusPermanentError: 200,
  StatusFatalError: 500,
  StatusStopping: 503,
  StatusStopped: 503,
};

/** What counts most of several comes first. */
const PRECEDENCE: readonly ComponentStatus[] = [
  'StatusFatalError',
  'StatusStarting',
  'StatusStopping',
  'StatusStopped',
  'StatusPermanentError',
  'StatusRecoverableError',
  'StatusOK',
];

/** Status of HTTP for a look at this alone. */
export function httpStatusOf({ status }: Pick<Health, 'status'>): number {
  return HTTP_STATUS[status];
}

/** What is known of one component; one that nobody told of has not started. */
function healthOf(state: ComponentState | undefined, bornAtMs: number): Health {
  const { status, sinceMs, error } = state ?? { status: 'StatusStarting' as const, sinceMs: bornAtMs };
  return {
    healthy: HTTP_STATUS[status] === 200,
    status,
    ...(error !== undefined && { error }),
    status_time: new Date(sinceMs).toISOString(),
  };
}

/** Several together: what counts most of them, since the newest of those that are so; with none of them they are well since the birth. */
function togetherOf(components: Readonly<Record<string, Health>>, bornAtMs: number): Health {
  const all = Object.values(components);
  const status = PRECEDENCE.find((one) => all.some((health) => health.status === one)) ?? 'StatusOK';
  const deciding = all.filter((health) => health.status === status);
  const newest = deciding.reduce<Health | undefined>(
    (latest, one) => (latest === undefined || one.status_time > latest.status_time ? one : latest),
    undefined,
  );
  const error = deciding.find((health) => health.error !== undefined)?.error;
  return {
    healthy: HTTP_STATUS[status] === 200,
    status,
    ...(error !== undefined && { error }),
    status_time: newest?.status_time ?? new Date(bornAtMs).toISOString(),
    components,
  };
}

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
