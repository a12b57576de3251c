import { setOwnProperty } from '../../../core/event/json.js';
import type { FieldValues, IssueCounts, Stats } from '../../../generated/reader-answers.js';

/** Statistics of one source. */
export interface NamedStats {
  readonly name: string;
  readonly stats: Stats;
}

/**
 * Sums the statistics of several sources; an issue of two sources counts twice. Receivers, endpoints and exporters are
 * keyed `source/component`. The grouping is that of the first source, current only if it is current in all.
 */
export function mergeStats(all: readonly [NamedStats, ...NamedStats[]]): Stats {
  const [first, ...others] = all;
  if (others.length === 0) return { ...first.stats, ...keyedByName(all) };
  const sum = (of: (stats: Stats) => number): number => all.reduce((total, { stats }) => total + of(stats), 0);
  const { grouping } = first.stats;
  return {
    events: sum(({ events }) => events),
    sampled: sum(({ sampled = 0 }) => sampled),
    issues: sum(({ issues }) => issues),
    partitions: sum(({ partitions }) => partitions),
    raw_bytes: sum(({ raw_bytes }) => raw_bytes),
    checkpoint_lag_events: sum(({ checkpoint_lag_events }) => checkpoint_lag_events),
    removed: {
      events: sum(({ removed }) => removed.events),
      partitions: sum(({ removed }) => removed.partitions),
      raw_bytes: sum(({ removed }) => removed.raw_bytes),
      before: all.reduce<string | null>((latest, { stats }) => later(latest, stats.removed.before), null),
    },
    dead_letters: {
      records: sum(({ dead_letters }) => dead_letters.records),
      bytes: sum(({ dead_letters }) => dead_letters.bytes),
      lost: sum(({ dead_letters }) => dead_letters.lost),
    },
    grouping: { ...grouping, is_current: all.every(({ stats }) => stats.grouping.is_current) },
    directory: all.map(({ stats }) => stats.directory).join(', '),
    ...keyedByName(all),
  };
}

/** Sums issue counts; an issue of two sources counts twice. */
export function addCounts(counts: readonly IssueCounts[]): IssueCounts {
  const [first] = counts;
  const sum = (of: (counts: IssueCounts) => number): number => counts.reduce((total, one) => total + of(one), 0);
  return {
    all: sum(({ all }) => all),
    open: sum(({ open }) => open),
    review: sum(({ review }) => review),
    mine: sum(({ mine }) => mine),
    new: sum((one) => one.new),
    regressed: sum(({ regressed }) => regressed),
    ignored: sum(({ ignored }) => ignored),
    resolved: sum(({ resolved }) => resolved),
    spiking: sum(({ spiking }) => spiking),
    ...(first?.without !== undefined && { without: first.without.map((_, index) => addWithout(counts, index)) }),
  };
}

/** All sources parse the same query, so each has the same terms. */
function addWithout(counts: readonly IssueCounts[], index: number): NonNullable<IssueCounts['without']>[number] {
  const found = counts.flatMap(({ without = [] }) => without[index] ?? []);
  return { term: found[0]?.term ?? '', counts: addCounts(found.map((one) => one.counts)) };
}

/** Sums the counts of values; an issue of two sources counts twice. */
export function addValues(all: readonly FieldValues[]): FieldValues {
  const counts = new Map<string, number>();
  for (const { value, count } of all.flatMap(({ values }) => values))
    counts.set(value, (counts.get(value) ?? 0) + count);
  const values = [...counts].map(([value, count]) => ({ value, count })).sort((one, other) => other.count - one.count);
  return { values, total: Math.max(values.length, ...all.map(({ total }) => total)) };
}

function keyedByName(all: readonly NamedStats[]): Pick<Stats, 'receivers' | 'endpoints' | 'exporters'> {
  const receivers: Stats['receivers'] = {};
  const endpoints: Stats['endpoints'] = {};
  const exporters: NonNullable<Stats['exporters']> = {};
  for (const { name, stats } of all) {
    for (const [id, ledger] of Object.entries(stats.receivers)) setOwnProperty(receivers, `${name}/${id}`, ledger);
    for (const [id, url] of Object.entries(stats.endpoints)) setOwnProperty(endpoints, `${name}/${id}`, url);
    for (const [id, state] of Object.entries(stats.exporters ?? {})) setOwnProperty(exporters, `${name}/${id}`, state);
  }
  return { receivers, endpoints, exporters };
}

function later(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}
