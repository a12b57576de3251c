/** How a component is, in the words of the OpenTelemetry Collector's component status. */
export type ComponentStatus =
  | 'StatusStarting'
  | 'StatusOK'
  | 'StatusRecoverableError'
  | 'StatusPermanentError'
  | 'StatusFatalError'
  | 'StatusStopping'
  | 'StatusStopped';

/** What is known of one component. */
export interface ComponentState {
  readonly id: string;
  /** `receiver`, `processor`, `exporter` or `extension`. */
  readonly kind: string;
  readonly status: ComponentStatus;
  /** Why it is not well; absent while it is. */
  readonly error?: string;
  /** When it became so, milliseconds since the epoch. */
  readonly sinceMs: number;
}

/** The states of all components, from the start of the process. */
export interface ComponentStates {
  /** The same status again changes nothing but the error. */
  report(kind: string, id: string, status: ComponentStatus, error?: string): void;
  /** A component that is no part of the line any more. */
  forget(kind: string, id: string): void;
  /** In the order of their first report. */
  snapshot(): readonly ComponentState[];
}

/** Builds an empty list of states. */
export function createComponentStates(nowMs: () => number = Date.now): ComponentStates {
  const states = new Map<string, ComponentState>();
  return {
    report(kind, id, status, error) {
      const key = `${kind} ${id}`;
      const before = states.get(key);
      const sinceMs = before?.status === status ? before.sinceMs : nowMs();
      states.set(key, { id, kind, status, sinceMs, ...(error !== undefined && { error }) });
    },
    forget: (kind, id) => void states.delete(`${kind} ${id}`),
    snapshot: () => [...states.values()],
  };
}
