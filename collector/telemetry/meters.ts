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

/** Counts values by size. */
interface Histogram {
  observe(value: number): void;
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

/** The instruments of all components. The same name and labels return the same one, also after a reload: counters never decrease. */
export interface Meters {
  counter(name: CounterName, labels?: Labels): Counter;
  /** Calls `read` on every scrape; returns what unregisters the gauge. A later gauge with the same labels replaces it. */
  gauge(name: GaugeName, labels: Labels, read: () => number): () => void;
  histogram(name: HistogramName, labels?: Labels): Histogram;
  /** Registers work that runs before each scrape, for gauges that read the disk; returns a function that unregisters it. */
  beforeScrape(work: () => Promise<void>): () => void;
  /** Runs that work concurrently and waits for at most `timeoutMs`. Never rejects. */
  prepareScrape(timeoutMs: number): Promise<void>;
  /** The current values of a counter or gauge. */
  samples(name: CounterName | GaugeName): readonly Sample[];
  histograms(name: HistogramName): readonly HistogramSample[];
}

/** Creates meters without values. */
export function createMeters(): Meters {
  const values = new Map<string, Map<string, Value>>();
  const distributions = new Map<string, Map<string, Distribution>>();
  const preparations = new Set<() => Promise<void>>();
  return {
    counter: (name, labels = {}) => instrument(values, name, labels, () => new Value(labels)),
    gauge(name, labels, read) {
      const value = instrument(values, name, labels, () => new Value(labels));
      value.read = read;
      return () => {
        if (value.read === read) values.get(name)?.delete(keyOf(labels));
      };
    },
    histogram: (name, labels = {}) =>
      instrument(distributions, name, labels, () => new Distribution(labels, METRICS[name].bounds)),
    beforeScrape(work) {
      preparations.add(work);
      return () => preparations.delete(work);
    },
    async prepareScrape(timeoutMs) {
      await within(timeoutMs, Promise.allSettled([...preparations].map((work) => work())));
    },
    samples: (name) =>
      [...(values.get(name)?.values() ?? [])].map(({ labels, current }) => ({ labels, value: current })),
    histograms: (name) => [...(distributions.get(name)?.values() ?? [])].map((one) => one.sample),
  };
}

class Value implements Counter {
  readonly labels: Labels;
  read: (() => number) | undefined;
  #count = 0;

  constructor(labels: Labels) {
    this.labels = labels;
  }

  get current(): number {
    return this.read === undefined ? this.#count : this.read();
  }

  add(by = 1): void {
    this.#count += by;
  }
}

class Distribution implements Histogram {
  readonly #labels: Labels;
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  constructor(labels: Labels, bounds: readonly number[]) {
    this.#labels = labels;
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  get sample(): HistogramSample {
    return { labels: this.#labels, bounds: this.#bounds, counts: [...this.#counts], sum: this.#sum };
  }

  observe(value: number): void {
    let index = 0;
    while (index < this.#bounds.length && value > (this.#bounds[index] ?? 0)) index += 1;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#sum += value;
  }
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
