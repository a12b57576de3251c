import type { FailureReader } from '../../core/contract/reader.js';
import type { Stats } from '../../generated/reader-answers.js';
import type { ComponentStates } from './component-states.js';
import type { Meters } from './meters.js';
import type { GaugeName } from './metric-catalogue.js';

/** What a store exporter tells of itself. Calls of `opened` and `closed` alternate; all others may come at any time. */
export interface StoreTelemetry {
  /** The numbers of a store, from now on, as its reader tells them. */
  opened(reader: FailureReader): void;
  closed(): void;
  /** A batch was handed to the store; what is answered is called once, with the number of events that are durable, 0 when it was refused. */
  beginAppend(): (stored: number) => void;
  refused(sentence: string): void;
  accepted(): void;
}

/** A look asks every partition for its size. */
const MIN_LOOK_INTERVAL_MS = 1_000;
const DEFAULT_REFUSAL_MEMORY_MS = 30_000;

/** What the numbers of a store are called. */
const STATS: readonly (readonly [GaugeName, (stats: Stats) => number])[] = [
  ['faultline_store_checkpoint_lag_events', (stats) => stats.checkpoint_lag_events],
  ['faultline_store_events', (stats) => stats.events],
  ['faultline_store_issues', (stats) => stats.issues],
  ['faultline_store_raw_bytes', (stats) => stats.raw_bytes],
  ['faultline_store_dead_letter_bytes', (stats) => stats.dead_letters.bytes],
  ['faultline_store_removed_events', (stats) => stats.removed.events],
];

/**
 * Binds the instruments of a store exporter. A store that refuses has a recoverable error until it takes a batch, or until nobody has tried for a while: a client that sends
 * nothing because the collector is not ready would never let it find out. `refusalMemoryMs` is how long after its last refusal it counts as well again.
 */
export function createStoreTelemetry(
  id: string,
  meters: Meters,
  states: ComponentStates,
  refusalMemoryMs = DEFAULT_REFUSAL_MEMORY_MS,
): StoreTelemetry {
  const labels = { exporter: id };
  const commitDuration = meters.histogram('faultline_store_commit_duration_seconds', labels);
  const sent = meters.counter('faultline_exporter_sent_log_records', labels);
  const forget: (() => void)[] = [];
  let waiting = 0;
  let isRefusing = false;
  let forgetting: NodeJS.Timeout | undefined;

  const recovered = (): void => {
    clearTimeout(forgetting);
    if (isRefusing) states.report('exporter', id, 'StatusOK');
    isRefusing = false;
  };

  return {
    opened(reader) {
      const look = createStatsLook(reader);
      forget.push(
        meters.beforeScrape(look.refresh),
        meters.gauge('faultline_store_queue_size', labels, () => waiting),
        ...STATS.map(([name, read]) =>
          meters.gauge(name, labels, () => (look.last === undefined ? Number.NaN : read(look.last))),
        ),
      );
    },
    closed() {
      clearTimeout(forgetting);
      isRefusing = false;
      for (const one of forget.splice(0)) one();
    },
    beginAppend() {
      const beganAtMs = performance.now();
      waiting += 1;
      return (stored) => {
        waiting -= 1;
        if (stored === 0) return;
        commitDuration.observe((performance.now() - beganAtMs) / 1000);
        sent.add(stored);
      };
    },
    refused(sentence) {
      isRefusing = true;
      states.report('exporter', id, 'StatusRecoverableError', sentence);
      clearTimeout(forgetting);
      forgetting = setTimeout(recovered, refusalMemoryMs).unref();
    },
    accepted: recovered,
  };
}

interface StatsLook {
  /** As of the last look that came to its end; undefined before the first. */
  readonly last: Stats | undefined;
  /** Looks again, where the last look is long enough ago. Never rejects: a store that is being closed tells nothing. */
  refresh(): Promise<void>;
}

function createStatsLook(reader: FailureReader): StatsLook {
  let last: Stats | undefined;
  let running: Promise<void> | undefined;
  let nextAtMs = 0;
  const look = async (): Promise<void> => {
    nextAtMs = performance.now() + MIN_LOOK_INTERVAL_MS;
    try {
      last = await reader.stats();
    } catch {
      // Unknown is left out of the metrics; the store reports its faults itself.
      last = undefined;
    } finally {
      running = undefined;
    }
  };
  return {
    get last() {
      return last;
    },
    refresh() {
      if (running === undefined && performance.now() >= nextAtMs) running = look();
      return running ?? Promise.resolve();
    },
  };
}
