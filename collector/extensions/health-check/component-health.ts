import type { ComponentState, ComponentStatus } from '../../telemetry/component-states.js';

/** What is known of a component, or of several together, in the shape of the OpenTelemetry Collector's healthcheckv2. */
export interface Health {
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
export function healthOf(state: ComponentState | undefined, bornAtMs: number): Health {
  const { status, sinceMs, error } = state ?? { status: 'StatusStarting' as const, sinceMs: bornAtMs };
  return {
    healthy: HTTP_STATUS[status] === 200,
    status,
    ...(error !== undefined && { error }),
    status_time: new Date(sinceMs).toISOString(),
  };
}

/** Several together: what counts most of them, since the newest of those that are so; with none of them they are well since the birth. */
export function togetherOf(components: Readonly<Record<string, Health>>, bornAtMs: number): Health {
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
