import { readFile } from 'node:fs/promises';
import { METRICS, metricNames } from '../../../collector/telemetry/metric-catalogue.js';

/** The rows of the table that docs/operations.md must have, in the order of the catalogue. */
function rows(): string[] {
  const counters: readonly string[] = metricNames('counter');
  return Object.entries(METRICS).map(([name, { kind, help }]) => {
    const shown = counters.includes(name) ? `${name}_total` : name;
    return `| \`${shown}\` | ${kind} | ${help} |`;
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
  it('names seconds and bytes as Prometheus does, and leaves its endings to it', () => {
    for (const name of Object.keys(METRICS)) {
      expect(name).toMatch(/^faultline_[a-z]+(?:_[a-z]+)*$/);
      expect(name).not.toMatch(/_(?:total|bucket|sum|count|ms|milliseconds|kb|mb)$/);
    }
  });

  it('explains its metrics in words that need no escape, which the two forms of a scrape write differently', () => {
    for (const { help } of Object.values(METRICS)) expect(help).not.toMatch(/["\\\n]/);
  });
});
