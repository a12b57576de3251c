import type { FailureReader } from '../../core/contract/reader.js';
import type { Stats } from '../../generated/reader-answers.js';
import type { ComponentStates } from './component-states.js';
import type { Meters } from './meters.js';
import type { GaugeName } from './metric-catalogue.js';

/** Metrics and status of a store exporter. Calls of `opened` and `closed` alternate; the others may come at any time. */
export type StoreTelemetry = ReturnType<typeof createStoreTelemetry>;

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

/** Creates the instruments of a store; one that refused recovers after `refusalMemoryMs`, or a client that waits for readiness never tries again. */
export function createStoreTelemetry(
  id: string,
  meters: Meters,
  states: ComponentStates,
  refusalMemoryMs = DEFAULT_REFUSAL_MEMORY_MS,
) {
  const labels = { exporter: id };
  const commitDuration = meters.histogram('faultline_store_commit_duration_seconds', labels);
  const sent = meters.counter('faultline_exporter_sent_log_records', labels);
  const replayed = meters.counter('faultline_store_replayed_events', labels);
  const unregister: (() => void)[] = [];
  let waiting = 0;
  let isRefusing = false;
  let recoveryTimer: NodeJS.Timeout | undefined;

  const recovered = (): void => {
    clearTimeout(recoveryTimer);
    if (isRefusing) states.report('exporter', id, 'StatusOK');
    isRefusing = false;
  };

  return {
    /** Reports the statistics of this store from now on. */
    opened(reader: FailureReader): void {
      const stats = createStatsCache(reader);
      unregister.push(
        meters.beforeScrape(stats.refresh),
        meters.gauge('faultline_store_queue_size', labels, () => waiting),
        ...STATS.map(([name, read]) =>
          meters.gauge(name, labels, () => (stats.last === undefined ? Number.NaN : read(stats.last))),
        ),
      );
    },
    /** Counts events that the opening read again from the record. */
    replayed: (events: number): void => replayed.add(events),
    closed(): void {
      clearTimeout(recoveryTimer);
      isRefusing = false;
      for (const one of unregister.splice(0)) one();
    },
    /** Starts measuring an append; call the result once with the number of durable events, 0 if refused. */
    beginAppend(): (stored: number) => void {
      const startedAtMs = performance.now();
      waiting += 1;
      return (stored) => {
        waiting -= 1;
        if (stored === 0) return;
        commitDuration.observe((performance.now() - startedAtMs) / 1000);
        sent.add(stored);
      };
    },
    refused(sentence: string): void {
      isRefusing = true;
      states.report('exporter', id, 'StatusRecoverableError', sentence);
      clearTimeout(recoveryTimer);
      recoveryTimer = setTimeout(recovered, refusalMemoryMs).unref();
    },
    accepted: recovered,
  };
}

function createStatsCache(reader: FailureReader) {
  let last: Stats | undefined;
  let running: Promise<void> | undefined;
  let nextAtMs = 0;
  const load = async (): Promise<void> => {
    nextAtMs = performance.now() + MIN_READ_INTERVAL_MS;
    try {
      last = await reader.stats();
    } catch {
      // Unknown values are left out; the store reports its faults itself.
      last = undefined;
    } finally {
      running = undefined;
    }
  };
  return {
    /** Undefined before the first successful read, and after a failed one. */
    get last() {
      return last;
    },
    /** Reads the statistics again if they are old enough. Never rejects. */
    refresh(): Promise<void> {
      if (running === undefined && performance.now() >= nextAtMs) running = load();
      return running ?? Promise.resolve();
    },
  };
}
