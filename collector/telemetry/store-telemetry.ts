import type { FailureReader } from '../../core/contract/reader.js';
import type { Stats } from '../../generated/reader-answers.js';
import type { ComponentStates } from './component-states.js';
import type { Counter, Histogram, Labels, Meters } from './meters.js';
import type { GaugeName } from './metric-catalogue.js';

/** Statistics read the size of every partition. */
const MIN_READ_INTERVAL_MS = 1_000;
const DEFAULT_REFUSAL_MEMORY_MS = 30_000;

const STATS: readonly (readonly [GaugeName, (stats: Stats) => number])[] = [
  ['faultline_store_checkpoint_lag_events', (stats) => stats.checkpoint_lag_events],
  ['faultline_store_events', (stats) => stats.events],
  ['faultline_store_issues', (stats) => stats.issues],
  ['faultline_store_raw_bytes', (stats) => stats.raw_bytes],
  ['faultline_store_dead_letter_bytes', (stats) => stats.dead_letters.bytes],
  ['faultline_store_removed_events', (stats) => stats.removed.events],
];

/** Metrics and status of a store exporter. Calls of `opened` and `closed` alternate; the others may come at any time. */
export class StoreTelemetry {
  readonly #id: string;
  readonly #labels: Labels;
  readonly #meters: Meters;
  readonly #states: ComponentStates;
  readonly #refusalMemoryMs: number;
  readonly #commitDuration: Histogram;
  readonly #sent: Counter;
  readonly #replayed: Counter;
  #unregister: (() => void)[] = [];
  #waiting = 0;
  #isRefusing = false;
  #recoveryTimer: NodeJS.Timeout | undefined;

  /** A store that refused recovers after `refusalMemoryMs`, or a client that waits for readiness never tries again. */
  constructor(id: string, meters: Meters, states: ComponentStates, refusalMemoryMs = DEFAULT_REFUSAL_MEMORY_MS) {
    this.#id = id;
    this.#labels = { exporter: id };
    this.#meters = meters;
    this.#states = states;
    this.#refusalMemoryMs = refusalMemoryMs;
    this.#commitDuration = meters.histogram('faultline_store_commit_duration_seconds', this.#labels);
    this.#sent = meters.counter('faultline_exporter_sent_log_records', this.#labels);
    this.#replayed = meters.counter('faultline_store_replayed_events', this.#labels);
  }

  /** Reports the statistics of this store from now on. */
  opened(reader: FailureReader): void {
    const stats = new StatsCache(reader);
    this.#unregister = [
      this.#meters.beforeScrape(() => stats.refresh()),
      this.#meters.gauge('faultline_store_queue_size', this.#labels, () => this.#waiting),
      ...STATS.map(([name, read]) =>
        this.#meters.gauge(name, this.#labels, () => (stats.last === undefined ? Number.NaN : read(stats.last))),
      ),
    ];
  }

  /** Counts events that the opening read again from the record. */
  replayed(events: number): void {
    this.#replayed.add(events);
  }

  closed(): void {
    clearTimeout(this.#recoveryTimer);
    this.#isRefusing = false;
    for (const unregister of this.#unregister) unregister();
    this.#unregister = [];
  }

  /** Starts measuring an append; call the result once with the number of durable events, 0 if refused. */
  beginAppend(): (stored: number) => void {
    const startedAtMs = performance.now();
    this.#waiting += 1;
    return (stored) => {
      this.#waiting -= 1;
      if (stored === 0) return;
      this.#commitDuration.observe((performance.now() - startedAtMs) / 1000);
      this.#sent.add(stored);
    };
  }

  refused(sentence: string): void {
    this.#isRefusing = true;
    this.#states.report('exporter', this.#id, 'StatusRecoverableError', sentence);
    clearTimeout(this.#recoveryTimer);
    this.#recoveryTimer = setTimeout(() => this.accepted(), this.#refusalMemoryMs).unref();
  }

  accepted(): void {
    clearTimeout(this.#recoveryTimer);
    if (this.#isRefusing) this.#states.report('exporter', this.#id, 'StatusOK');
    this.#isRefusing = false;
  }
}

class StatsCache {
  readonly #reader: FailureReader;
  /** Undefined before the first successful read, and after a failed one. */
  last: Stats | undefined;
  #loading: Promise<void> | undefined;
  #nextAtMs = 0;

  constructor(reader: FailureReader) {
    this.#reader = reader;
  }

  /** Reads the statistics again if they are old enough. Never rejects. */
  async refresh(): Promise<void> {
    if (performance.now() >= this.#nextAtMs) {
      this.#loading ??= this.#load().finally(() => {
        this.#loading = undefined;
      });
    }
    await this.#loading;
  }

  async #load(): Promise<void> {
    this.#nextAtMs = performance.now() + MIN_READ_INTERVAL_MS;
    try {
      this.last = await this.#reader.stats();
    } catch {
      // Unknown values are left out; the store reports its faults itself.
      this.last = undefined;
    }
  }
}
