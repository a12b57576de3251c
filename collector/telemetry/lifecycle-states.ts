import type { Component } from '../component.js';
import type { ComponentStates } from './component-states.js';

/** A component as its states name it. */
export interface WatchedComponent {
  readonly kind: string;
  readonly id: string;
  readonly component: Component;
}

/** Starts a component and tells its states. One that came up with an error of its own keeps that. Throws what `start` throws. */
export async function startWatched(
  states: ComponentStates,
  { kind, id, component }: WatchedComponent,
  signal: AbortSignal,
): Promise<void> {
  states.report(kind, id, 'StatusStarting');
  try {
    await component.start(signal);
  } catch (error) {
    states.report(kind, id, 'StatusFatalError', error instanceof Error ? error.message : String(error));
    throw error;
  }
  const state = states.snapshot().find((one) => one.kind === kind && one.id === id);
  if (state?.status === 'StatusStarting') states.report(kind, id, 'StatusOK');
}

/** Stops a component and tells its states. Throws what `shutdown` throws. */
export async function stopWatched(states: ComponentStates, { kind, id, component }: WatchedComponent): Promise<void> {
  states.report(kind, id, 'StatusStopping');
  await component.shutdown();
  states.report(kind, id, 'StatusStopped');
}
