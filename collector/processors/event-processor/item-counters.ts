import type { Counter, Meters } from '../../telemetry/meters.js';

/** The counters of every processor, protocol reference OTLP section 3 "Internal metric names". */
interface ItemCounters {
  readonly incoming: Counter;
  readonly outgoing: Counter;
  readonly changed: Counter;
  readonly failed: Counter;
  /** By reason code. */
  dropped(reason: string): Counter;
  /** Runs the work and records its duration. */
  timed<T>(work: () => Promise<T>): Promise<T>;
}

export function createItemCounters(meters: Meters, processor: string): ItemCounters {
  const labels = { processor };
  const duration = meters.histogram('faultline_processor_internal_duration', labels);
  const dropped = new Map<string, Counter>();
  return {
    incoming: meters.counter('faultline_processor_incoming_items', labels),
    outgoing: meters.counter('faultline_processor_outgoing_items', labels),
    changed: meters.counter('faultline_processor_changed_items', labels),
    failed: meters.counter('faultline_processor_failed_items', labels),
    dropped(reason) {
      const known = dropped.get(reason) ?? meters.counter('faultline_processor_dropped_items', { ...labels, reason });
      dropped.set(reason, known);
      return known;
    },
    async timed(work) {
      const beganAtMs = performance.now();
      try {
        return await work();
      } finally {
        duration.observe((performance.now() - beganAtMs) / 1000);
      }
    },
  };
}
