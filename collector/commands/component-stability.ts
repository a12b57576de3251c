import type { SettingsByType } from '../../config/component-settings.js';

/**
 * Levels of the OpenTelemetry Collector: `Stable` keeps its settings and what it writes; `Beta` may change settings, with a line in the change
 * log; `Alpha` is new, and may change in any version.
 */
export type Stability = 'Stable' | 'Beta' | 'Alpha';

/** Stability by what a component takes (`logs`, `traces`, or `events` for what is no signal of OpenTelemetry) or, beside the pipelines, is. */
export const COMPONENT_STABILITY: Readonly<Record<keyof SettingsByType, Readonly<Record<string, Stability>>>> = {
  events: { events: 'Stable' },
  otlp: { logs: 'Beta', traces: 'Beta' },
  sentry: { events: 'Beta' },
  file_log: { logs: 'Beta' },
  memory_limiter: { events: 'Alpha' },
  filter: { events: 'Alpha' },
  attributes: { events: 'Alpha' },
  redaction: { events: 'Alpha' },
  rate_limit: { events: 'Alpha' },
  sample: { events: 'Alpha' },
  store: { events: 'Stable' },
  otlp_http: { logs: 'Alpha' },
  webhook: { events: 'Alpha' },
  debug: { events: 'Alpha' },
  query: { extension: 'Beta' },
  health_check: { extension: 'Alpha' },
  bearertokenauth: { extension: 'Alpha' },
  pprof: { extension: 'Alpha' },
};
