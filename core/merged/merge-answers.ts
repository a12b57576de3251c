import type {
  EventHistogram,
  EventsSummary,
  Facet,
  FieldValues,
  IssueCounts,
  IssuesSince,
  ReleaseDetail,
  ReleaseHealth,
  ReleaseSummary,
  Releases,
  Stats,
  Timestamp,
} from '../../generated/reader-answers.js';
import { setOwnProperty } from '../event/json.js';
import { MAX_HOURS } from '../storage/releases/session-counts.js';
import { compareReleases, withShares } from '../storage/releases/summarize-release.js';
import { addNumbers, joinByKey, mergeIssues } from './merge-issues.js';

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
    ...all.map(({ stats }) => ({ sampled: 0, repeated: 0, ...stats })).reduce(addNumbers),
    removed: {
      ...all.map(({ stats }) => stats.removed).reduce(addNumbers),
      before: all.map(({ stats }) => stats.removed.before).reduce((one, other) => extreme(one, other, 1)),
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
    const withoutTerm = counts.flatMap((one) => one.without?.[index] ?? []);
    return { term, counts: addCounts(withoutTerm.map((one) => one.counts)) };
  });
  return { ...sums, ...(without && { without }) };
}

/** Sums the counts of values; an issue of two sources counts twice. */
export function addValues(all: readonly FieldValues[]): FieldValues {
  const values = sumValues(all);
  return { values, total: Math.max(values.length, ...all.map(({ total }) => total)) };
}

/** The most frequent values first. */
function sumValues(all: readonly Pick<Facet, 'values'>[]): Facet['values'] {
  const values = all.flatMap((one) => one.values);
  return joinByKey(values, ({ value }) => value, addNumbers).sort((one, other) => other.count - one.count);
}

function keyedByName(all: readonly NamedStats[]) {
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

/** Unites issues since an instant: rates are summed, counts too, although an issue of two sources then counts twice. */
export function mergeSince(all: readonly IssuesSince[], limit: number): IssuesSince {
  const rows = joinByKey(
    all.flatMap(({ issues }) => issues),
    ({ issue }) => issue.issue_id,
    (one, other) => ({ ...addNumbers(one, other), issue: mergeIssues([one.issue, other.issue]) }),
  );
  const growth = ({ rate, rate_before }: IssuesSince['issues'][number]): number => Math.abs(rate - rate_before);
  const issues = rows.sort((one, other) => growth(other) - growth(one)).slice(0, limit);
  return { issues, counts: all.map(({ counts }) => counts).reduce(addNumbers) };
}

/** The same limits as in one source (core/contract/reader). */
const MAX_VALUES = 10;
const MAX_TAGS = 16;
const TAG_PREFIX = 'tags.';

/** Merges the summaries of one issue in several sources; a count is a lower bound if not all sources list the value. */
export function mergeEventsSummaries(summaries: readonly [EventsSummary, ...EventsSummary[]]): EventsSummary {
  const [first, ...others] = summaries;
  if (others.length === 0) return first;
  const fields = [...new Set(summaries.flatMap(({ facets }) => facets.map(({ field }) => field)))];
  const merged = fields.map((field) => mergeFacets(field, summaries));
  const isTag = ({ field }: Facet): boolean => field.startsWith(TAG_PREFIX);
  const tags = merged.filter(isTag).sort((one, other) => one.without - other.without);
  return {
    ...summaries.reduce(addNumbers),
    histogram: addHistograms(first.histogram, summaries),
    facets: [...merged.filter((facet) => !isTag(facet)), ...tags.slice(0, MAX_TAGS)],
  };
}

/** Sums into the buckets of the first histogram; a bucket of another range is added where its middle lies. */
function addHistograms(first: EventHistogram, summaries: readonly EventsSummary[]): EventHistogram {
  const { from, to } = first;
  const counts = first.counts.map(() => 0);
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  for (const { histogram } of summaries) {
    const isSame = histogram.from === from && histogram.to === to && histogram.counts.length === counts.length;
    const [startMs, endMs] = [Date.parse(histogram.from), Date.parse(histogram.to)];
    for (const [bucket, count] of histogram.counts.entries()) {
      const middleMs = startMs + ((bucket + 0.5) / histogram.counts.length) * (endMs - startMs);
      const target = isSame ? bucket : Math.floor(((middleMs - fromMs) / Math.max(1, toMs - fromMs)) * counts.length);
      const index = Math.min(Math.max(target, 0), counts.length - 1);
      counts[index] = (counts[index] ?? 0) + count;
    }
  }
  return { from, to, counts, is_complete: summaries.every(({ histogram }) => histogram.is_complete) };
}

function mergeFacets(field: string, summaries: readonly EventsSummary[]): Facet {
  const ofField = summaries.map(({ facets, matched }): Facet => {
    // A source lists its most frequent tags only; any other counts as absent there.
    return facets.find((one) => one.field === field) ?? { field, values: [], others: 0, without: matched };
  });
  const values = sumValues(ofField);
  const { others, without } = ofField.reduce(addNumbers);
  const unlisted = values.slice(MAX_VALUES).reduce((sum, { count }) => sum + count, 0);
  return { field, values: values.slice(0, MAX_VALUES), others: others + unlisted, without };
}

const MAX_DEPLOYS = 20;

/** Unites releases of the same name. */
export function mergeReleases(all: readonly Releases[], limit: number): Releases {
  const named = all.flatMap(({ releases }) => releases);
  const releases = joinByKey(named, ({ name }) => name, mergeSummaries).sort(compareReleases);
  return { releases: releases.slice(0, limit), total: Math.max(releases.length, ...all.map(({ total }) => total)) };
}

/** Unites one release of several sources; the commits are those of the source with the most. */
export function mergeReleaseDetails(one: ReleaseDetail, other: ReleaseDetail): ReleaseDetail {
  const { commit_list } = one.commit_list.length >= other.commit_list.length ? one : other;
  return { ...mergeSummaries(one, other), commit_list };
}

/** Numbers are summed, also users and issues, although one of two sources then counts twice. */
function mergeSummaries(one: ReleaseSummary, other: ReleaseSummary): ReleaseSummary {
  const deploys = new Map([...one.deploys, ...other.deploys].map((deploy) => [JSON.stringify(deploy), deploy]));
  const atOf = ({ finished_at, started_at }: ReleaseSummary['deploys'][number]) => finished_at ?? started_at ?? '';
  return {
    ...addNumbers(one, other),
    first_seen: extreme(one.first_seen, other.first_seen, -1),
    last_seen: extreme(one.last_seen, other.last_seen, 1),
    created_at: extreme(one.created_at, other.created_at, -1),
    released_at: extreme(one.released_at, other.released_at, 1),
    url: one.url ?? other.url,
    commits: Math.max(one.commits, other.commits),
    deploys: [...deploys.values()].sort((a, b) => (atOf(a) > atOf(b) ? -1 : 1)).slice(0, MAX_DEPLOYS),
    health:
      one.health === null || other.health === null
        ? (one.health ?? other.health)
        : mergeHealth(one.health, other.health),
  };
}

/** The earlier (-1) or later (1) of two times; a missing one does not count. */
function extreme(one: Timestamp | null, other: Timestamp | null, direction: 1 | -1): Timestamp | null {
  if (one === null || other === null) return one ?? other;
  return one > other === direction > 0 ? one : other;
}

function mergeHealth(one: ReleaseHealth, other: ReleaseHealth): ReleaseHealth {
  return withShares({
    ...addNumbers(one, other),
    environments: united([...one.environments, ...other.environments], ({ environment }) => environment),
    hours: united([...one.hours, ...other.hours], ({ from }) => from).slice(-MAX_HOURS),
  });
}

/** Sums the rows of each key, in order of keys. */
function united<Row extends object>(rows: readonly Row[], keyOf: (row: Row) => string): Row[] {
  return joinByKey(rows, keyOf, addNumbers).sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}
