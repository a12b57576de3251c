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

/** Counts values by size. */
export interface Histogram {
  observe(value: number): void;
}

/** Instruments of one name, by their labels. */
type ByLabels<Instrument> = Map<string, Instrument>;

/** The instruments of all components. The same name and labels return the same one, also after a reload: counters never decrease. */
export class Meters {
  readonly #values = new Map<string, ByLabels<Value>>();
  readonly #distributions = new Map<string, ByLabels<Distribution>>();
  readonly #preparations = new Set<() => Promise<void>>();

  counter(name: CounterName, labels: Labels = {}): Counter {
    return instrument(this.#values, name, labels, () => new Value(labels));
  }

  /** Calls `read` on every scrape; returns what unregisters the gauge. A later gauge with the same labels replaces it. */
  gauge(name: GaugeName, labels: Labels, read: () => number): () => void {
    const value = instrument(this.#values, name, labels, () => new Value(labels));
    value.read = read;
    return () => {
      if (value.read === read) this.#values.get(name)?.delete(keyOf(labels));
    };
  }

  histogram(name: HistogramName, labels: Labels = {}): Histogram {
    return instrument(this.#distributions, name, labels, () => new Distribution(labels, METRICS[name].bounds));
  }

  /** Registers work that runs before each scrape, for gauges that read the disk; returns a function that unregisters it. */
  beforeScrape(work: () => Promise<void>): () => void {
    this.#preparations.add(work);
    return () => this.#preparations.delete(work);
  }

  /** Runs that work concurrently and waits for at most `timeoutMs`. Never rejects. */
  async prepareScrape(timeoutMs: number): Promise<void> {
    await within(timeoutMs, Promise.allSettled([...this.#preparations].map((work) => work())));
  }

  /** The current values of a counter or gauge. */
  samples(name: CounterName | GaugeName): Sample[] {
    const values = this.#values.get(name)?.values() ?? [];
    return Array.from(values, ({ labels, current }) => ({ labels, value: current }));
  }

  histograms(name: HistogramName): HistogramSample[] {
    const distributions = this.#distributions.get(name)?.values() ?? [];
    return Array.from(distributions, ({ sample }) => sample);
  }
}

/** A counter, or a gauge once it has `read`. */
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
    const bound = this.#bounds.findIndex((largest) => value <= largest);
    const index = bound < 0 ? this.#bounds.length : bound;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#sum += value;
  }
}

function instrument<Instrument>(
  all: Map<string, ByLabels<Instrument>>,
  name: string,
  labels: Labels,
  create: () => Instrument,
): Instrument {
  const byLabels = all.get(name) ?? new Map<string, Instrument>();
  all.set(name, byLabels);
  const key = keyOf(labels);
  const existing = byLabels.get(key) ?? create();
  byLabels.set(key, existing);
  return existing;
}

function keyOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)));
}
