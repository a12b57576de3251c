import type { FailureReader } from '../../core/contract/reader.js';
import type { IssueId } from '../../core/event/ids.js';
import { printValue } from '../../core/query/print-query.js';
import { parseEventId } from '../../core/storage/record/partitions/event-id.js';
import type { EventDetail, EventSummary } from '../../generated/reader-answers.js';
import { reportsText } from '../format/event/detail-view.js';
import { rangeOf } from '../format/event/time-window.js';

type LinkedEvent = Pick<EventSummary, 'event_id' | 'timestamp' | 'request_id' | 'trace_id' | 'session_id' | 'user_id'>;

/** The other events with an id that given ones have. */
export interface Linked {
  readonly name: string;
  readonly idOf: (event: LinkedEvent) => string | null;
  /** Empty if no given event has one. */
  readonly ids: readonly string[];
  readonly events: readonly EventSummary[];
  /** Whether everything was searched. */
  readonly isComplete: boolean;
}

/** Ids of a common cause, the narrowest first; `field` is their name in queries. */
const LINKS: readonly (Pick<Linked, 'name' | 'idOf'> & { readonly field: string })[] = [
  { name: 'request', field: 'request_id', idOf: ({ request_id }) => request_id },
  { name: 'trace', field: 'tags.trace_id', idOf: ({ trace_id }) => trace_id },
  { name: 'session', field: 'session_id', idOf: ({ session_id }) => session_id },
];
const USER: (typeof LINKS)[number] = { name: 'user', field: 'user_id', idOf: ({ user_id }) => user_id };

/** What happened within this time of each other is related. */
export const NEAR_MINUTES = 10;
const NEAR_MS = NEAR_MINUTES * 60_000;
/** Events received up to an hour earlier or later are searched, in pages of at most 200 ms. */
const AROUND_MS = 3_600_000;
const PAGE_EVENTS = 500;
const MAX_PAGES = 5;
/** UTF-16 units of the ids of a query. */
const MAX_IDS_LENGTH = 3_500;

/** Finds the other events of the request, trace and session of an event, and those of its user at that time; each once, oldest first. */
export async function findRelatedEvents(reader: FailureReader, event: EventDetail): Promise<Linked[]> {
  const own = { ...event.normalized, trace_id: event.normalized.tags['trace_id'] ?? null };
  const near = `timestamp:${timesAround(own.timestamp)}`;
  const linked = await Promise.all([
    ...LINKS.map((link) => searchLink(reader, link, [own])),
    searchLink(reader, USER, [own], near),
  ]);
  const seen = new Set([own.event_id]);
  return [...otherReports(event), ...linked].map((link) => {
    const events = link.events.filter(({ event_id }) => !seen.has(event_id));
    for (const { event_id } of events) seen.add(event_id);
    return { ...link, events: events.sort((one, other) => (one.timestamp < other.timestamp ? -1 : 1)) };
  });
}

/** The other reports of the same occurrence; nothing without them. */
function otherReports({ reports }: EventDetail): Linked[] {
  if (reports === undefined) return [];
  const events = reports.map(({ event }) => event);
  return [{ name: 'occurrence', idOf: () => null, ids: [reportsText(reports)], events, isComplete: true }];
}

/** Finds the events of other issues in the requests, traces and sessions of given events. */
export function findLinked(reader: FailureReader, own: readonly LinkedEvent[], issueId: IssueId): Promise<Linked[]> {
  return Promise.all(LINKS.map((link) => searchLink(reader, link, own, `-issue_id:${issueId}`)));
}

async function searchLink(
  reader: FailureReader,
  { name, field, idOf }: (typeof LINKS)[number],
  own: readonly LinkedEvent[],
  terms = '',
): Promise<Linked> {
  const ids = [...new Set(own.flatMap((event) => idOf(event) || []))];
  let values = '';
  for (const id of ids) {
    const longer = `${values}${values === '' ? '' : ', '}${printValue(id, 'text')}`;
    if (longer.length <= MAX_IDS_LENGTH) values = longer;
  }
  const events: EventSummary[] = [];
  if (values === '') return { name, idOf, ids: [], events, isComplete: true };
  const received = own.map(({ event_id }) => (parseEventId(event_id)?.receivedAtMicros ?? 0) / 1000);
  const around = rangeTerm(Math.min(...received) - AROUND_MS, Math.max(...received) + AROUND_MS);
  const options = { query: `received_at:${around} ${terms} ${field}:[${values}]`, limit: PAGE_EVENTS };
  let page = await reader.searchEvents(options);
  events.push(...page.events);
  for (let pages = 1; pages < MAX_PAGES && page.next_cursor !== null; pages += 1) {
    page = await reader.searchEvents({ ...options, cursor: page.next_cursor });
    events.push(...page.events);
  }
  // A query does not distinguish upper and lower case.
  const exact = events.filter((event) => ids.includes(idOf(event) ?? ''));
  return { name, idOf, ids, events: exact, isComplete: page.is_complete };
}

/** The ten minutes before and after a time, in query syntax. */
export function timesAround(time: string): string {
  // A source may send anything for a time.
  const ms = Date.parse(time) || 0;
  return rangeTerm(ms - NEAR_MS, ms + NEAR_MS);
}

function rangeTerm(fromMs: number, toMs: number): string {
  const { from, to } = rangeOf(fromMs, toMs);
  return `${from}..${to}`;
}
