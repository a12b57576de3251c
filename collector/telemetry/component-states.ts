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
export type ComponentStates = ReturnType<typeof createComponentStates>;

/** Builds an empty list of states. */
export function createComponentStates(nowMs: () => number = Date.now) {
  const states = new Map<string, ComponentState>();
  return {
    /** Reporting the same status again changes only the error. */
    report(kind: string, id: string, status: ComponentStatus, error?: string): void {
      const key = `${kind} ${id}`;
      const before = states.get(key);
      const sinceMs = before?.status === status ? before.sinceMs : nowMs();
      states.set(key, { id, kind, status, sinceMs, ...(error !== undefined && { error }) });
    },
    /** Removes a component that the configuration has no more. */
    remove: (kind: string, id: string): void => void states.delete(`${kind} ${id}`),
    /** In the order of their first report. */
    snapshot: (): readonly ComponentState[] => [...states.values()],
  };
}
