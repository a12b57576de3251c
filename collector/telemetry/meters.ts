import { within } from '../../core/within.js';
import { type CounterName, type GaugeName, type HistogramName, METRICS } from './metric-catalogue.js';

export type Labels = Readonly<Record<string, string>>;

/** A count that only grows. */
export interface Counter {
  /** The sum of all counters with the same name and labels. */
  readonly current: number;
  /** Default 1. */
  add(by?: number): void;
}

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

/** A histogram: the number of values up to each bound and beyond the last one, and their sum. */
export interface HistogramSample {
  readonly labels: Labels;
  readonly bounds: readonly number[];
  /** One more than `bounds`; not cumulative. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** The instruments of all components. */
export type Meters = ReturnType<typeof createMeters>;

/** Creates meters without values. The same name and labels return the same one, also after a reload: counters never decrease. */
export function createMeters() {
  const values = new Map<string, Map<string, ReturnType<typeof createValue>>>();
  const distributions = new Map<string, Map<string, ReturnType<typeof createDistribution>>>();
  const preparations = new Set<() => Promise<void>>();
  return {
    counter(name: CounterName, labels: Labels = {}): Counter {
      return instrument(values, name, labels, () => createValue(labels));
    },
    /** Calls `read` on every scrape; returns what unregisters the gauge. A later gauge with the same labels replaces it. */
    gauge(name: GaugeName, labels: Labels, read: () => number): () => void {
      const value = instrument(values, name, labels, () => createValue(labels));
      value.read = read;
      return () => {
        if (value.read === read) values.get(name)?.delete(keyOf(labels));
      };
    },
    /** Counts values by size. */
    histogram(name: HistogramName, labels: Labels = {}) {
      return instrument(distributions, name, labels, () => createDistribution(labels, METRICS[name].bounds));
    },
    /** Registers work that runs before each scrape, for gauges that read the disk; returns a function that unregisters it. */
    beforeScrape(work: () => Promise<void>): () => void {
      preparations.add(work);
      return () => preparations.delete(work);
    },
    /** Runs that work concurrently and waits for at most `timeoutMs`. Never rejects. */
    async prepareScrape(timeoutMs: number): Promise<void> {
      await within(timeoutMs, Promise.allSettled([...preparations].map((work) => work())));
    },
    /** The current values of a counter or gauge. */
    samples(name: CounterName | GaugeName): Sample[] {
      return [...(values.get(name)?.values() ?? [])].map(({ labels, current }) => ({ labels, value: current }));
    },
    histograms: (name: HistogramName): HistogramSample[] =>
      [...(distributions.get(name)?.values() ?? [])].map((one) => one.sample),
  };
}

function createValue(labels: Labels) {
  let count = 0;
  return {
    labels,
    read: undefined as (() => number) | undefined,
    get current(): number {
      return this.read === undefined ? count : this.read();
    },
    add(by = 1): void {
      count += by;
    },
  };
}

function createDistribution(labels: Labels, bounds: readonly number[]) {
  const counts = new Array<number>(bounds.length + 1).fill(0);
  let sum = 0;
  return {
    get sample(): HistogramSample {
      return { labels, bounds, counts: [...counts], sum };
    },
    observe(value: number): void {
      const index = bounds.findIndex((bound) => value <= bound);
      const at = index < 0 ? bounds.length : index;
      counts[at] = (counts[at] ?? 0) + 1;
      sum += value;
    },
  };
}

function instrument<One>(all: Map<string, Map<string, One>>, name: string, labels: Labels, create: () => One): One {
  const ofName = all.get(name) ?? new Map<string, One>();
  all.set(name, ofName);
  const key = keyOf(labels);
  const one = ofName.get(key) ?? create();
  ofName.set(key, one);
  return one;
}

function keyOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)));
}
