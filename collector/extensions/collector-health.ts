import { parseComponentId } from '../../config/values/component-id.js';
import type { PipelineSettings } from '../../generated/settings.js';
import type { ComponentState, ComponentStates, ComponentStatus } from '../telemetry/component-states.js';

/** Health of one or several components, in the format of the OpenTelemetry Collector's healthcheckv2. */
interface Health {
  /** Whether its HTTP status is 200. */
  readonly healthy: boolean;
  readonly status: ComponentStatus;
  readonly error?: string;
  /** RFC 3339. */
  readonly status_time: string;
  readonly components?: Readonly<Record<string, Health>>;
}

/** As in healthcheckv2 without `include_recoverable_errors` and `include_permanent_errors`; the first status that any component has is that of all. */
const HTTP_STATUS: Readonly<Record<ComponentStatus, number>> = {
  StatusFatalError: 500,
  StatusStarting: 503,
  StatusStopping: 503,
  StatusStopped: 503,
  StatusPermanentError: 200,
  StatusRecoverableError: 200,
  StatusOK: 200,
};
const PRECEDENCE = Object.keys(HTTP_STATUS) as readonly ComponentStatus[];

/** HTTP status for a health. */
export function httpStatusOf({ status }: Pick<Health, 'status'>): number {
  return HTTP_STATUS[status];
}

/** Health of one component; without a state it has not started. */
function healthOf(
  state: Pick<ComponentState, 'status' | 'sinceMs' | 'error'> | undefined,
  startedAtMs: number,
): Health {
  const { status, sinceMs, error } = state ?? { status: 'StatusStarting' as const, sinceMs: startedAtMs };
  return {
    healthy: HTTP_STATUS[status] === 200,
    status,
    ...(error !== undefined && { error }),
    status_time: new Date(sinceMs).toISOString(),
  };
}

/** The status with the highest precedence, since its newest change; without components healthy since `startedAtMs`. */
function combinedHealth(components: Readonly<Record<string, Health>>, startedAtMs: number): Health {
  const all = Object.values(components);
  const status = PRECEDENCE.find((one) => all.some((health) => health.status === one)) ?? 'StatusOK';
  const deciding = all.filter((health) => health.status === status);
  const times = deciding.map(({ status_time }) => Date.parse(status_time));
  const sinceMs = times.length === 0 ? startedAtMs : Math.max(...times);
  const error = deciding.find((health) => health.error !== undefined)?.error;
  return { ...healthOf({ status, sinceMs, ...(error !== undefined && { error }) }, startedAtMs), components };
}

/** Configured pipelines by id, and ids of extensions. */
export interface RunningComponents {
  readonly pipelines: Readonly<Record<string, PipelineSettings>>;
  readonly extensions: readonly string[];
}

/** Health of the collector, computed at each call. */
export interface CollectorHealth {
  /** `extensions`, and each pipeline as `pipeline:<id>`. */
  collector(): Health;
  /** One pipeline and its components; undefined if it does not exist. */
  pipeline(id: string): Health | undefined;
  /** Components, such as `exporter:store`, that keep a pipeline from accepting events. Exporters that follow a store do not: it accepts events while they fail. */
  obstacles(): readonly Obstacle[];
}

interface Obstacle {
  readonly component: string;
  readonly status: ComponentStatus;
  readonly error?: string;
}

/** Computes health from the states of all components. `startedAtMs` is the start of the collector, milliseconds since the epoch. */
export function createCollectorHealth(
  states: Pick<ComponentStates, 'snapshot'>,
  parts: () => RunningComponents,
  startedAtMs: number,
): CollectorHealth {
  const byKey = (): Map<string, ComponentState> =>
    new Map(states.snapshot().map((state) => [`${state.kind}:${state.id}`, state]));

  const healthOfAll = (keys: readonly string[], stateOf: ReadonlyMap<string, ComponentState>): Health =>
    combinedHealth(Object.fromEntries(keys.map((key) => [key, healthOf(stateOf.get(key), startedAtMs)])), startedAtMs);

  return {
    collector() {
      const { pipelines, extensions } = parts();
      const stateOf = byKey();
      const named = Object.entries(pipelines).map(([id, pipeline]) => [
        `pipeline:${id}`,
        healthOfAll(keysOf(pipeline), stateOf),
      ]);
      const keys = extensions.map((id) => `extension:${id}`);
      return combinedHealth({ extensions: healthOfAll(keys, stateOf), ...Object.fromEntries(named) }, startedAtMs);
    },
    pipeline(id) {
      const { pipelines } = parts();
      const pipeline = Object.hasOwn(pipelines, id) ? pipelines[id] : undefined;
      return pipeline && healthOfAll(keysOf(pipeline), byKey());
    },
    obstacles() {
      const stateOf = byKey();
      const keys = new Set(Object.values(parts().pipelines).flatMap((pipeline) => acceptingKeysOf(pipeline)));
      return [...keys].flatMap((key) => {
        const { status, error } = healthOf(stateOf.get(key), startedAtMs);
        if (status === 'StatusOK') return [];
        return [{ component: key, status, ...(error !== undefined && { error }) }];
      });
    },
  };
}

function keysOf({ receivers, processors, exporters }: PipelineSettings): string[] {
  return [...keyed('receiver', receivers), ...keyed('processor', processors), ...keyed('exporter', exporters)];
}

/** Components that an event passes before its sender gets a response. */
function acceptingKeysOf({ exporters, ...pipeline }: PipelineSettings): string[] {
  return keysOf({ ...pipeline, exporters: exporters.filter((id) => parseComponentId(id).type === 'store') });
}

function keyed(kind: string, ids: readonly string[]): string[] {
  return ids.map((id) => `${kind}:${id}`);
}
