import type { EventSummaryOptions } from '../../core/contract/reader.js';
import { printFieldName } from '../../core/query/print-query.js';
import type { EventDetail, EventsSummary, Facet, IssueSummary } from '../../generated/reader-answers.js';

const FIELDS = ['env', 'release', 'service', 'level', 'status_code', 'route', 'user_id'] as const;

/** A simple model of `summarizeEvents` for queries that match text of the message. */
export function summaryOfEvents(
  issue: IssueSummary,
  events: readonly EventDetail[],
  { query = '', from, to, buckets = 60 }: EventSummaryOptions,
): EventsSummary {
  const requestedToMs = to === undefined ? Number.MAX_SAFE_INTEGER : millis(to);
  // The range must not be empty.
  const firstMs = Math.min(millis(issue.first_seen), requestedToMs - 1);
  const fromMs = from === undefined ? Math.floor(firstMs / 1000) * 1000 : millis(from);
  const afterLastMs = (Math.floor(Math.max(millis(issue.last_seen), fromMs) / 1000) + 1) * 1000;
  const toMs = to === undefined ? afterLastMs : requestedToMs;
  const matching = events.filter(({ normalized: { message, timestamp } }) => {
    const ms = millis(timestamp);
    return message.includes(query) && ms >= fromMs && ms < toMs;
  });
  const counts = new Array<number>(buckets).fill(0);
  for (const { normalized, raw } of matching) {
    const bucket = Math.floor(((millis(normalized.timestamp) - fromMs) / (toMs - fromMs)) * buckets);
    counts[bucket] = (counts[bucket] ?? 0) + countOf(raw);
  }
  const keys = [...new Set(matching.flatMap(({ normalized }) => Object.keys(normalized.tags)))];
  const frequency = (key: string): number => matching.filter(({ normalized }) => ownTag(normalized.tags, key)).length;
  const tags = keys
    .filter((key) => frequency(key) > 0)
    .sort((one, other) => frequency(other) - frequency(one) || (one < other ? -1 : 1));
  return {
    histogram: { from: timeOf(fromMs), to: timeOf(toMs), counts, is_complete: true },
    facets: [
      ...FIELDS.map((field) =>
        facetOf(
          field,
          matching.map(({ normalized }) => normalized[field]),
        ),
      ),
      ...tags.slice(0, 16).map((key) =>
        facetOf(
          printFieldName(`tags.${key}`),
          matching.map(({ normalized }) => ownTag(normalized.tags, key)),
        ),
      ),
    ],
    looked_at: events.length,
    matched: matching.length,
    total: events.length,
  };
}

/** The number of occurrences that an event stands for after sampling. */
function countOf({ payload }: EventDetail['raw']): number {
  // The whole payload may be nested too deeply for JSON.stringify.
  return 1 + (JSON.parse(JSON.stringify(payload.extra?.['faultline'] ?? {})).sampled ?? 0);
}

function ownTag(tags: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(tags, key) ? tags[key] : undefined;
}

function facetOf(field: string, all: readonly (string | number | null | undefined)[]): Facet {
  const present = all.flatMap((value) =>
    value === null || value === undefined || value === '' ? [] : [String(value)],
  );
  const values = [...new Set(present)]
    .map((value) => ({ value, count: present.filter((one) => one === value).length }))
    .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1))
    .slice(0, 10);
  const shown = values.reduce((sum, { count }) => sum + count, 0);
  return { field, values, others: present.length - shown, without: all.length - present.length };
}

function millis(time: string): number {
  return Date.parse(`${time.slice(0, 23).replace('Z', '')}Z`);
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000000+00:00');
}
