import type { Counter, Meters } from '../../telemetry/meters.js';

/** Creates the counters of a processor, protocol reference OTLP section 3 "Internal metric names". */
export function createItemCounters(meters: Meters, processor: string) {
  const labels = { processor };
  const duration = meters.histogram('faultline_processor_internal_duration', labels);
  const dropped = new Map<string, Counter>();
  return {
    incoming: meters.counter('faultline_processor_incoming_items', labels),
    outgoing: meters.counter('faultline_processor_outgoing_items', labels),
    changed: meters.counter('faultline_processor_changed_items', labels),
    failed: meters.counter('faultline_processor_failed_items', labels),
    /** By reason code. */
    dropped(reason: string): Counter {
      const known = dropped.get(reason) ?? meters.counter('faultline_processor_dropped_items', { ...labels, reason });
      dropped.set(reason, known);
      return known;
    },
    /** Runs the work and records its duration. */
    async timed<T>(work: () => Promise<T>): Promise<T> {
      const beganAtMs = performance.now();
      try {
        return await work();
      } finally {
        duration.observe((performance.now() - beganAtMs) / 1000);
      }
    },
  };
}
