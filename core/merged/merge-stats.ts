import type { FieldValues, IssueCounts, Stats } from '../../generated/reader-answers.js';
import { setOwnProperty } from '../event/json.js';
import { addNumbers } from './add-numbers.js';

/** Statistics of one source. */
export interface NamedStats {
  readonly name: string;
  readonly stats: Stats;
}

/**
 * Sums the statistics of several sources; an issue of two sources counts twice. Receivers, endpoints, addresses and
 * exporters are keyed `source/component`. The grouping is that of the first source, current only if it is current in all.
 */
export function mergeStats(all: readonly [NamedStats, ...NamedStats[]]): Stats {
  const [first, ...others] = all;
  if (others.length === 0) return { ...first.stats, ...keyedByName(all) };
  const { grouping } = first.stats;
  return {
    ...all.map(({ stats }) => ({ sampled: 0, ...stats })).reduce(addNumbers),
    removed: {
      ...all.map(({ stats }) => stats.removed).reduce(addNumbers),
      before: all.reduce<string | null>((latest, { stats }) => later(latest, stats.removed.before), null),
    },
    dead_letters: all.map(({ stats }) => stats.dead_letters).reduce(addNumbers),
    grouping: { ...grouping, is_current: all.every(({ stats }) => stats.grouping.is_current) },
    directory: all.map(({ stats }) => stats.directory).join(', '),
    ...keyedByName(all),
  };
}

/** Sums issue counts; an issue of two sources counts twice. */
export function addCounts(counts: readonly IssueCounts[]): IssueCounts {
  const { without: terms, ...sums } = counts.reduce(addNumbers);
  // All sources parse the same query, so each has the same terms.
  const without = terms?.map(({ term }, index) => {
    const found = counts.flatMap((one) => one.without?.[index] ?? []);
    return { term, counts: addCounts(found.map((one) => one.counts)) };
  });
  return { ...sums, ...(without && { without }) };
}

/** Sums the counts of values; an issue of two sources counts twice. */
export function addValues(all: readonly FieldValues[]): FieldValues {
  const counts = new Map<string, number>();
  for (const { value, count } of all.flatMap(({ values }) => values))
    counts.set(value, (counts.get(value) ?? 0) + count);
  const values = [...counts].map(([value, count]) => ({ value, count })).sort((one, other) => other.count - one.count);
  return { values, total: Math.max(values.length, ...all.map(({ total }) => total)) };
}

function keyedByName(all: readonly NamedStats[]): Pick<Stats, 'receivers' | 'endpoints' | 'addresses' | 'exporters'> {
  const receivers: Stats['receivers'] = {};
  const endpoints: Stats['endpoints'] = {};
  const addresses: NonNullable<Stats['addresses']> = {};
  const exporters: NonNullable<Stats['exporters']> = {};
  for (const { name, stats } of all) {
    for (const [id, ledger] of Object.entries(stats.receivers)) setOwnProperty(receivers, `${name}/${id}`, ledger);
    for (const [id, url] of Object.entries(stats.endpoints)) setOwnProperty(endpoints, `${name}/${id}`, url);
    for (const [id, urls] of Object.entries(stats.addresses ?? {})) setOwnProperty(addresses, `${name}/${id}`, urls);
    for (const [id, state] of Object.entries(stats.exporters ?? {})) setOwnProperty(exporters, `${name}/${id}`, state);
  }
  return { receivers, endpoints, addresses, exporters };
}

function later(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}
