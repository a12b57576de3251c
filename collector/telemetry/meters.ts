import { setTimeout as delay } from 'node:timers/promises';
import { type CounterName, type GaugeName, type HistogramName, METRICS } from './metric-catalogue.js';

/** Label values by label name. */
export type Labels = Readonly<Record<string, string>>;

/** A count that only grows. */
export interface Counter {
  /** What was counted, over all that count by the same name and labels. */
  readonly current: number;
  /** By 1 unless told. */
  add(by?: number): void;
}

/** How often values of which size came. */
export interface Histogram {
  observe(value: number): void;
}

/** One value of a metric, as an exposition writes it. */
export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

/** One histogram, as an exposition writes it: how many values were at most as large as each bound, those beyond the last one, and their sum. */
export interface HistogramSample {
  readonly labels: Labels;
  readonly bounds: readonly number[];
  /** One more than `bounds`; not cumulated. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/**
 * The instruments of all components. A name with the same labels is the same instrument, also across a reload of the configuration, so that counts
 * never go back. Counting costs an addition: bind an instrument once and keep it.
 */
export interface Meters {
  counter(name: CounterName, labels?: Labels): Counter;
  /** Asks `read` at each look; answers what takes the gauge away. A later one of the same labels replaces an earlier one. */
  gauge(name: GaugeName, labels: Labels, read: () => number): () => void;
  histogram(name: HistogramName, labels?: Labels): Histogram;
  /** Work that is done before each look, for gauges whose values cost a look at the disk; answers what takes it away. */
  beforeScrape(work: () => Promise<void>): () => void;
  /** Does that work, all of it at a time; what takes longer than the milliseconds goes on unwatched. Never rejects. */
  prepareScrape(timeoutMs: number): Promise<void>;
  /** The values of a counter or gauge now. */
  samples(name: CounterName | GaugeName): readonly Sample[];
  histograms(name: HistogramName): readonly HistogramSample[];
}

/** Builds meters that have counted nothing. */
export function createMeters(): Meters {
  const values = new Map<string, Map<string, Value>>();
  const distributions = new Map<string, Map<string, Distribution>>();
  const preparations = new Set<() => Promise<void>>();
  return {
    counter: (name, labels = {}) => {
      const value = instrument(values, name, labels, () => new Value(labels));
      return value;
    },
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
      const late = new AbortController();
      const done = Promise.allSettled([...preparations].map((work) => work()));
      await Promise.race([
        done,
        delay(timeoutMs, undefined, { signal: late.signal, ref: false }).catch(() => undefined),
      ]);
      late.abort();
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
    let place = 0;
    while (place < this.#bounds.length && value > (this.#bounds[place] ?? 0)) place += 1;
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
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
