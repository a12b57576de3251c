import type { HistogramSample, Labels, Meters, Sample } from '../telemetry/meters.js';
import { type CounterName, type GaugeName, METRICS, metricNames } from '../telemetry/metric-catalogue.js';

/** Values from other sources than the meters, by metric name. */
export type OtherSamples = Readonly<Partial<Record<CounterName | GaugeName, () => readonly Sample[]>>>;

/** Content types of the two formats: Prometheus text 0.0.4 and OpenMetrics 1.0.0. */
export const EXPOSITION_TYPES = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
} as const;

/** How long a scrape waits for values from the disk; then it uses the last known ones. */
const PREPARE_TIMEOUT_MS = 1_000;

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '"': '\\"' };

/** Formats the current value of every metric. */
export async function writeExposition(
  format: keyof typeof EXPOSITION_TYPES,
  meters: Meters,
  others: OtherSamples,
): Promise<string> {
  await meters.prepareScrape(PREPARE_TIMEOUT_MS);
  const isOpen = format === 'openmetrics';
  const samplesOf = (of: CounterName | GaugeName, name: string): string[] =>
    // NaN: currently unknown.
    [...meters.samples(of), ...(others[of]?.() ?? [])]
      .filter(({ value }) => !Number.isNaN(value))
      .map(({ labels, value }) => lineOf(name, labels, value));
  const families = [
    ...metricNames('counter').map((name) =>
      // OpenMetrics names the family without the suffix of its samples.
      [...headOf(isOpen ? name : `${name}_total`, METRICS[name]), ...samplesOf(name, `${name}_total`)],
    ),
    ...metricNames('gauge').map((name) => [...headOf(name, METRICS[name]), ...samplesOf(name, name)]),
    ...metricNames('histogram').map((name) => [
      ...headOf(name, METRICS[name]),
      ...meters.histograms(name).flatMap((one) => bucketsOf(name, one, isOpen)),
    ]),
  ].map((lines) => lines.join('\n'));
  return isOpen ? `${families.join('\n')}\n# EOF\n` : `${families.join('\n\n')}\n`;
}

function headOf(family: string, { help, kind }: { readonly help: string; readonly kind: string }): string[] {
  return [`# HELP ${family} ${escaped(help)}`, `# TYPE ${family} ${kind}`];
}

function bucketsOf(name: string, { labels, bounds, counts, sum }: HistogramSample, isOpen: boolean): string[] {
  let count = 0;
  const buckets = counts.map((values, index) => {
    count += values;
    const bound = bounds[index] ?? Number.POSITIVE_INFINITY;
    // OpenMetrics 1.0.0, "Canonical Numbers": a bound is a float; strict readers refuse an integer.
    const le = isOpen && Number.isInteger(bound) ? `${bound}.0` : numberOf(bound);
    return lineOf(`${name}_bucket`, { ...labels, le }, count);
  });
  return [...buckets, lineOf(`${name}_sum`, labels, sum), lineOf(`${name}_count`, labels, count)];
}

function lineOf(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${numberOf(value)}`;
}

function numberOf(value: number): string {
  return Number.isFinite(value) ? String(value) : value > 0 ? '+Inf' : '-Inf';
}

function escaped(text: string): string {
  return text.replace(/[\\\n"]/g, (character) => ESCAPES[character] ?? character);
}
