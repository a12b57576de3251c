import type { FieldValues, IssueCounts, Stats } from '../../generated/reader-answers.js';
import { setOwnProperty } from '../event/json.js';
import { addNumbers } from './add-numbers.js';

/** Statistics of one source. */
export interface NamedStats {
  readonly name: string;
  readonly stats: Stats;
}

/** Sums statistics, shared issues twice. Components are keyed `source/component`; the grouping is current only if it is in all sources. */
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

function keyedByName(
  all: readonly NamedStats[],
): Pick<Stats, 'receivers' | 'endpoints' | 'addresses' | 'exporters' | 'gateways'> {
  const gateways = keyed(all, ({ gateways: of }) => of);
  return {
    receivers: keyed(all, ({ receivers: of }) => of),
    endpoints: keyed(all, ({ endpoints: of }) => of),
    addresses: keyed(all, ({ addresses: of }) => of),
    exporters: keyed(all, ({ exporters: of }) => of),
    ...(Object.keys(gateways).length > 0 && { gateways }),
  };
}

function keyed<Value>(
  all: readonly NamedStats[],
  of: (stats: Stats) => Readonly<Record<string, Value>> | undefined,
): Record<string, Value> {
  const named: Record<string, Value> = {};
  for (const { name, stats } of all) {
    for (const [id, value] of Object.entries(of(stats) ?? {})) setOwnProperty(named, `${name}/${id}`, value);
  }
  return named;
}

function later(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}
