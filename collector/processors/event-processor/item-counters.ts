import type { Counter, Histogram, Meters } from '../../telemetry/meters.js';

/** The counters of a processor, protocol reference OTLP section 3 "Internal metric names". */
export class ItemCounters {
  readonly incoming: Counter;
  readonly outgoing: Counter;
  readonly changed: Counter;
  readonly failed: Counter;
  readonly #meters: Meters;
  readonly #labels: { readonly processor: string };
  readonly #duration: Histogram;
  readonly #dropped = new Map<string, Counter>();

  constructor(meters: Meters, processor: string) {
    const labels = { processor };
    this.#meters = meters;
    this.#labels = labels;
    this.#duration = meters.histogram('faultline_processor_internal_duration', labels);
    this.incoming = meters.counter('faultline_processor_incoming_items', labels);
    this.outgoing = meters.counter('faultline_processor_outgoing_items', labels);
    this.changed = meters.counter('faultline_processor_changed_items', labels);
    this.failed = meters.counter('faultline_processor_failed_items', labels);
  }

  /** The counter of dropped items by reason code. */
  dropped(reason: string): Counter {
    let counter = this.#dropped.get(reason);
    if (counter === undefined) {
      counter = this.#meters.counter('faultline_processor_dropped_items', { ...this.#labels, reason });
      this.#dropped.set(reason, counter);
    }
    return counter;
  }

  /** Runs the work and records its duration. */
  async timed<Result>(work: () => Promise<Result>): Promise<Result> {
    const beganAtMs = performance.now();
    try {
      return await work();
    } finally {
      this.#duration.observe((performance.now() - beganAtMs) / 1000);
    }
  }
}
