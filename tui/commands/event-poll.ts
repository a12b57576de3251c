import { LRUCache } from 'lru-cache';
import type { EventListOptions, FailureReader } from '../../core/contract/reader.js';
import type { EventId } from '../../core/event/ids.js';
import type { EventSummary } from '../../generated/reader-answers.js';
import type { RowPage } from '../state/paged-list.js';

export interface EventPollOptions {
  reader: FailureReader;
  /** Default: all events. */
  query?: string | undefined;
  /** Fetches the events of the first poll, newest first. */
  fetchFirst: () => Promise<readonly EventSummary[]>;
  /** Fetches a page of matching events, newest first. */
  fetchPage: (options: EventListOptions) => Promise<RowPage<EventSummary>>;
  /** Called after each poll with the new events in order of arrival. */
  onEvents: (events: readonly EventSummary[]) => Promise<void>;
  /** Called if more events arrived since the last poll than it fetches. */
  onMissed: () => Promise<void>;
}

const PAGE_ROWS = 500;
const MAX_PAGES = 20;
/** Ids that are remembered to recognise known events. */
const MAX_KNOWN_IDS = 20_000;
/** Tolerated backward step of the clock. */
const MARGIN_MS = 10_000;

/** Creates the poll of a watch: the latest events, then those that arrived since, by receipt time so that rare queries scan little. */
export function createEventPoll(options: EventPollOptions): () => Promise<void> {
  const { reader, query, fetchFirst, fetchPage, onEvents, onMissed } = options;
  const known = new LRUCache<EventId, true>({ max: MAX_KNOWN_IDS });
  let isFirst = true;
  let sinceMs: number | undefined;

  function remember(rows: readonly EventSummary[]): void {
    for (const { event_id: id } of rows) {
      known.set(id, true);
      sinceMs = Math.max(sinceMs ?? 0, receivedMs(id));
    }
  }

  async function fetchNew(): Promise<EventSummary[]> {
    const newQuery = withSince(query, sinceMs);
    const found: EventSummary[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { rows, nextCursor } = await fetchPage({ query: newQuery, limit: PAGE_ROWS, cursor });
      const end = rows.findIndex(({ event_id: id }) => known.has(id));
      found.push(...(end === -1 ? rows : rows.slice(0, end)));
      if (end !== -1 || nextCursor === null) return found;
      cursor = nextCursor;
    }
    await onMissed();
    return found;
  }

  return async () => {
    if (isFirst) {
      // Read before the first list, so that the next poll finds events that arrive in between.
      const [newest] = (await reader.searchEvents({ limit: 1 })).events;
      if (newest !== undefined) sinceMs = receivedMs(newest.event_id);
    }
    const rows = isFirst ? await fetchFirst() : await fetchNew();
    isFirst = false;
    remember(rows.toReversed());
    await onEvents(rows.toReversed());
  };
}

/** The receipt time in milliseconds since the epoch, from the UUIDv7. */
function receivedMs(id: EventId): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

function withSince(query: string | undefined, sinceMs: number | undefined): string {
  const text = query?.trim() ?? '';
  if (sinceMs === undefined) return text;
  const since = `received_at:>=${new Date(Math.max(0, sinceMs - MARGIN_MS)).toISOString()}`;
  return text === '' ? since : `(${text}) ${since}`;
}
