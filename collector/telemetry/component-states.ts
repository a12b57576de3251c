/** The status of a component, as in the OpenTelemetry Collector. */
export type ComponentStatus =
  | 'StatusStarting'
  | 'StatusOK'
  | 'StatusRecoverableError'
  | 'StatusPermanentError'
  | 'StatusFatalError'
  | 'StatusStopping'
  | 'StatusStopped';

export interface ComponentState {
  readonly id: string;
  /** `receiver`, `processor`, `exporter` or `extension`. */
  readonly kind: string;
  readonly status: ComponentStatus;
  /** Absent while the component is healthy. */
  readonly error?: string;
  /** When the status last changed, milliseconds since the epoch. */
  readonly sinceMs: number;
}

/** The states of all components since the start of the process. */
export class ComponentStates {
  readonly #states = new Map<string, ComponentState>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs;
  }

  /** Reporting the same status again changes only the error. */
  report(kind: string, id: string, status: ComponentStatus, error?: string): void {
    const key = keyOf(kind, id);
    const before = this.#states.get(key);
    const sinceMs = before?.status === status ? before.sinceMs : this.#nowMs();
    this.#states.set(key, { id, kind, status, sinceMs, ...(error !== undefined && { error }) });
  }

  /** Removes a component that the configuration has no more. */
  remove(kind: string, id: string): void {
    this.#states.delete(keyOf(kind, id));
  }

  /** In the order of their first report. */
  snapshot(): readonly ComponentState[] {
    return [...this.#states.values()];
  }
}

function keyOf(kind: string, id: string): string {
  return `${kind} ${id}`;
}
