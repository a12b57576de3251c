import type { Facet } from '../../../../generated/reader-answers.js';
import { type ArrayReader, createArrayReader, sampleEvent, sampleIssue } from '../../array-reader.js';
import { ENTER, settle, started, typeKeys, windowRows } from '../../type-keys.js';

const FACETS: Facet[] = [
  {
    field: 'env',
    values: [
      { value: 'production', count: 998 },
      { value: 'dev', count: 1 },
    ],
    others: 0,
    without: 1,
  },
  { field: 'route', values: [], others: 0, without: 1_000 },
  { field: 'user_id', values: [{ value: 'x'.repeat(1_024), count: 2 }], others: 998, without: 0 },
];

/** The window with the facets of an issue with these counts of events. */
async function windowWith(
  counts: { looked_at: number; matched: number; total: number },
  columns = 80,
): Promise<string[]> {
  const reader: ArrayReader = createArrayReader({
    issues: [sampleIssue(1, { count: counts.total })],
    events: Array.from({ length: 12 }, (_, number) => sampleEvent(1, number)),
  });
  const { summarizeEvents } = reader;
  reader.summarizeEvents = async (issueId, options) => {
    const summary = await summarizeEvents(issueId, options);
    if (summary === undefined) return undefined;
    const histogram = { ...summary.histogram, is_complete: counts.looked_at === counts.total };
    return { ...summary, ...counts, facets: FACETS, histogram };
  };
  const issue = await settle(typeKeys(await started(reader, { size: { columns, rows: 24 } }), ENTER), reader);
  return windowRows(await settle(typeKeys(issue, '2'), reader));
}

/** The facets only. */
async function facetsOf(counts: { looked_at: number; matched: number; total: number }): Promise<string[]> {
  const rows = await windowWith(counts);
  return rows.slice(rows.findIndex((row) => row.includes('2[Facets]')) + 1, -1).filter((row) => row !== '');
}

describe('the facets of an issue', () => {
  it('have a row for each value, the others and the missing ones, with 0% and 100% only for exact values', async () => {
    expect(await facetsOf({ looked_at: 1_000, matched: 1_000, total: 1_000 })).toEqual([
      '  1,000 events',
      '  env',
      '›   production                                >99%   998 ████████████████████',
      '    dev                                        <1%     1 ▏',
      '    (none)                                     <1%     1 ▏',
      '  user_id',
      '    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…   <1%     2 ▏',
      '    (other)                                   >99%   998 ████████████████████',
      '  same in all 1,000: app shop, type exception',
    ]);
  });

  it.each([
    [{ looked_at: 5_000, matched: 1, total: 12_345 }, '  1 of newest 5,000 of 12,345 events'],
    [{ looked_at: 5_000, matched: 5_000, total: 12_345 }, '  newest 5,000 of 12,345 events'],
    [{ looked_at: 5_000, matched: 5_000, total: 5_000 }, '  5,000 events'],
  ])('name the events that they count: %j', async (counts, words) => {
    expect(await facetsOf(counts)).toContain(words);
  });

  it('and the bars above them say if they show the newest events only', async () => {
    const all = await windowWith({ looked_at: 5_000, matched: 5_000, total: 5_000 }, 120);
    expect(all.find((row) => row.includes(' max '))).not.toContain('newest only');
    const newest = await windowWith({ looked_at: 5_000, matched: 5_000, total: 12_345 }, 120);
    expect(newest.find((row) => row.includes(' max '))).toContain('newest only');
  });
});
