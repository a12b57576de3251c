import type { ComponentStates } from './component-states.js';
import type { OtherSamples } from './exposition.js';

/** The states of components as a metric: 1 for one that is well. */
export function stateSamples(states: ComponentStates): OtherSamples {
  return {
    faultline_component_healthy: () =>
      states.snapshot().map(({ kind, id, status }) => ({
        labels: { kind, component: id },
        value: status === 'StatusOK' ? 1 : 0,
      })),
  };
}
