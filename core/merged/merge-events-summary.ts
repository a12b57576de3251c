import type { EventHistogram, EventsSummary, Facet } from '../../generated/reader-answers.js';
import { addNumbers } from './add-numbers.js';

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
  const counts = new Map<string, number>();
  let others = 0;
  let without = 0;
  for (const { facets, matched } of summaries) {
    const facet = facets.find((one) => one.field === field);
    // A source lists its most frequent tags only; any other counts as absent there.
    without += facet?.without ?? matched;
    others += facet?.others ?? 0;
    for (const { value, count } of facet?.values ?? []) counts.set(value, (counts.get(value) ?? 0) + count);
  }
  const inOrder = [...counts].sort(([, one], [, other]) => other - one);
  const values = inOrder.slice(0, MAX_VALUES).map(([value, count]) => ({ value, count }));
  others += inOrder.slice(MAX_VALUES).reduce((sum, [, count]) => sum + count, 0);
  return { field, values, others, without };
}
