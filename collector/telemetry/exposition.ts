import type { MetricObjectWithValues, MetricValue, Registry, RegistryContentType } from 'prom-client';
import type { HistogramSample, Meters, Sample } from './meters.js';
import { type CounterName, type GaugeName, METRICS, metricNames } from './metric-catalogue.js';

/** Values that are read from elsewhere than the meters, by the name of their metric. */
export type OtherSamples = Readonly<Partial<Record<CounterName | GaugeName, () => readonly Sample[]>>>;

/** What an exposition is made of. */
export interface ExpositionSources {
  readonly meters: Meters;
  readonly others: OtherSamples;
}

/** The two forms of one exposition: Prometheus text 0.0.4, and OpenMetrics 1.0.0. */
export type ExpositionFormat = 'prometheus' | 'openmetrics';

/** All metrics as text, with the content type that names the form. */
export interface Exposition {
  readonly contentType: string;
  readonly text: string;
}

type PromClient = typeof import('prom-client');
type Line = MetricValue<string> & { readonly metricName?: string };

/** What prom-client asks a metric for when it writes it. */
interface Readable {
  get(): Promise<MetricObjectWithValues<MetricValue<string>>>;
}

/** How long a scrape waits for what is looked up on the disk; then it answers with what is known. */
const PREPARE_TIMEOUT_MS = 1_000;

/** Builds what writes every metric of the catalogue as it is now. prom-client is loaded by the first look. */
export function createExposition(sources: ExpositionSources): (format: ExpositionFormat) => Promise<Exposition> {
  const registries = new Map<ExpositionFormat, Registry<RegistryContentType>>();
  return async (format) => {
    const [client] = await Promise.all([import('prom-client'), sources.meters.prepareLook(PREPARE_TIMEOUT_MS)]);
    const registry = registries.get(format) ?? createRegistry(client, format, sources);
    registries.set(format, registry);
    return { contentType: registry.contentType, text: await registry.metrics() };
  };
}

function createRegistry(
  client: PromClient,
  format: ExpositionFormat,
  { meters, others }: ExpositionSources,
): Registry<RegistryContentType> {
  const { Counter, Gauge, Histogram, openMetricsContentType, prometheusContentType } = client;
  const registry = new client.Registry<RegistryContentType>();
  registry.setContentType(format === 'openmetrics' ? openMetricsContentType : prometheusContentType);
  const options = (name: keyof typeof METRICS) => ({ help: METRICS[name].help, registers: [] });
  const samples = (name: CounterName | GaugeName) => [...meters.samples(name), ...(others[name]?.() ?? [])];
  for (const name of metricNames('counter')) {
    // OpenMetrics names the family without the ending; there prom-client adds it to the samples.
    const family = format === 'openmetrics' ? name : `${name}_total`;
    const counter = new Counter({ name: family, ...options(name) });
    registry.registerMetric(reading(counter, () => linesOf(samples(name))));
  }
  for (const name of metricNames('gauge')) {
    const gauge = new Gauge({ name, ...options(name) });
    registry.registerMetric(reading(gauge, () => linesOf(samples(name))));
  }
  const boundOf = format === 'openmetrics' ? canonicalNumber : String;
  for (const name of metricNames('histogram')) {
    const histogram = new Histogram({ name, ...options(name) });
    const lines = () => meters.histograms(name).flatMap((one) => bucketsOf(name, one, boundOf));
    registry.registerMetric(reading(histogram, lines));
  }
  return registry;
}

/** A metric of prom-client whose values are ours. It keeps none itself, so that a count is kept in one place. */
function reading<Metric extends Readable>(metric: Metric, read: () => Line[]): Metric {
  const empty = metric.get();
  const get = async () => ({ ...(await empty), values: read() });
  // It writes histograms through a second method of the same answer.
  return Object.assign(metric, { get, getForPromString: get });
}

/** A value that nobody can tell now is left out. */
function linesOf(samples: readonly Sample[]): Line[] {
  return samples.filter(({ value }) => !Number.isNaN(value)).map(({ labels, value }) => ({ labels, value }));
}

/** OpenMetrics 1.0.0, "Considerations: Canonical Numbers": a bound is a float also where it is whole, else strict readers refuse the scrape. */
function canonicalNumber(bound: number): string {
  return Number.isInteger(bound) ? `${bound}.0` : String(bound);
}

function bucketsOf(
  name: string,
  { labels, bounds, counts, sum }: HistogramSample,
  boundOf: (bound: number) => string,
): Line[] {
  let count = 0;
  const buckets = counts.map((values, place) => {
    count += values;
    const bound = bounds[place];
    const le = bound === undefined ? '+Inf' : boundOf(bound);
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
