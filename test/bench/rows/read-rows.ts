import type { CollectorProcess } from '../collector-process.js';
import { type FilledStore, sizeOf } from '../filled-store.js';
import { getLatencies } from '../load.js';
import type { PeerProcess } from '../peer-process.js';
import { percentile, type Row, row } from '../row.js';
import { word } from '../word.js';

const SORTS = ['last_seen', 'first_seen', 'count'];
const ROUNDS = 6;

/** Queries with fields, words, phrases and wildcards, mostly different in every round so that no result is cached. */
function filters(round: number): string[] {
  return [
    'level:warning',
    `service:service-${word(round)}`,
    'env:staging',
    `release:v2.${round}.0`,
    'status:open',
    '-status:resolved',
    'timeout',
    `"${word(1000 + round)} of order"`,
    word(5000 + round),
    'error_name:Pan*',
    `title:*${word(20_000 + round)}*`,
    'level:critical -env:staging',
    `(level:info OR level:critical) service:service-${word(19 - round)}`,
    `${word(60 + round)} order`,
    `could*${word(700 + round)}`,
  ];
}

function issuePages(collector: CollectorProcess, pick: (round: number) => readonly string[]): string[] {
  const pages = Array.from({ length: ROUNDS }, (_, round) =>
    pick(round).flatMap((query) =>
      SORTS.map((sort) => `${collector.queryUrl}/api/v1/issues?sort=${sort}&query=${encodeURIComponent(query)}`),
    ),
  );
  return pages.flat();
}

/** Latencies of reads from a new collector over a filled folder, without cached results. */
export async function readRows(store: FilledStore, collector: CollectorProcess, peer: PeerProcess): Promise<Row[]> {
  const events = store.eventIds.map((id) => `${collector.queryUrl}/api/v1/events/${id}`);
  const eventsOf = (issueId: string): string => `${collector.queryUrl}/api/v1/issues/${issueId}/events`;
  const rare = store.rareIssues.map(eventsOf);
  const frequent = Array.from({ length: 200 }, () => eventsOf(store.frequentIssue));
  const measured: readonly (readonly [string, readonly string[], number])[] = [
    ['event by id, each asked once, p95 ms', events, 5],
    ['first page of all issues, by any sort, p95 ms', issuePages(collector, () => Array(15).fill('')), 20],
    ['first page of issues by any sort with a filter, p95 ms', issuePages(collector, filters), 20],
    ["first page of a rare issue's events, each asked once, p95 ms", rare, 30],
    ["first page of the frequent issue's events, p95 ms", frequent, 30],
  ];
  const rows: Row[] = [];
  for (const [name, urls, bar] of measured) {
    const floor = percentile(await getLatencies(urls.map(() => `${peer.url}/fixed`)), 0.95);
    const ours = percentile(await getLatencies(urls), 0.95);
    const title = `${name}; ${sizeOf(store)}`;
    rows.push(row(title, ours, 'bare Express answering 2 kB, p95 ms', floor, 'lower', { of: 'figure', value: bar }));
  }
  return rows;
}
