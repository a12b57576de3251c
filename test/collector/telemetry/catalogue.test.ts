import { readFile } from 'node:fs/promises';
import { METRICS, metricNames } from '../../../collector/telemetry/metric-catalogue.js';

/** The rows of the table in docs/operations.md, in the order of the catalogue. */
function rows(): string[] {
  const counters: readonly string[] = metricNames('counter');
  return Object.entries(METRICS).map(([name, { help }]) => {
    const shown = counters.includes(name) ? `${name}_total` : name;
    return `| \`${shown}\` | ${help} |`;
  });
}

describe('docs/operations.md', () => {
  it('lists every metric of the catalogue', async () => {
    const readme = await readFile('docs/operations.md', 'utf8');
    const found = readme.split('\n').filter((line) => line.startsWith('| `faultline_'));
    expect(found).toEqual(rows());
  });
});

describe('the catalogue', () => {
  it('has names that tell histograms from gauges', () => {
    const named = Object.keys(METRICS).filter((name) => /_duration(?:_seconds)?$/.test(name));
    expect(named).toEqual(metricNames('histogram'));
  });

  it('has names with seconds and bytes as in Prometheus, without the suffixes that Prometheus adds', () => {
    for (const name of Object.keys(METRICS)) {
      expect(name).toMatch(/^faultline_[a-z]+(?:_[a-z]+)*$/);
      expect(name).not.toMatch(/_(?:total|bucket|sum|count|ms|milliseconds|kb|mb)$/);
    }
  });

  it('has help texts without characters that the two formats escape differently', () => {
    for (const { help } of Object.values(METRICS)) expect(help).not.toMatch(/["\\\n]/);
  });
});
