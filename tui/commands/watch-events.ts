import { LRUCache } from 'lru-cache';
import type { FailureReader } from '../../core/contract/reader.js';
import type { EventId } from '../../core/event/ids.js';
import type { EventSummary } from '../../generated/reader-answers.js';

/** A page of events, newest arrival first. */
export interface WatchedPage {
  readonly rows: readonly EventSummary[];
  readonly nextCursor: string | null;
}

export interface WatchEventsOptions {
  reader: FailureReader;
  /** Absent: all events. */
  query?: string | undefined;
  /** The events that are told at the start, newest first. */
  readFirst: () => Promise<readonly EventSummary[]>;
  /** Reads a page of what matches a query. */
  readPage: (query: string, range: { limit: number; cursor?: string }) => Promise<WatchedPage>;
  /** Is given events in the order of their arrival. */
  tell: (events: readonly EventSummary[]) => Promise<void>;
  /** Called where more arrived between two looks than is read. */
  onMissed: () => Promise<void>;
}

const PAGE_ROWS = 500;
const MAX_PAGES = 20;
/** Ids that are kept to know an event again. */
const MAX_KNOWN = 20_000;
/** How far a clock may be set back without an event being missed. */
const MARGIN_MS = 10_000;

/**
 * Makes the look of a watch: the first one tells the latest events, each further one those that arrived since. It asks only for what was received lately, so that a query that few events match
 * does not go through the whole record each time.
 */
export function eventLook(options: WatchEventsOptions): () => Promise<void> {
  const { reader, query, readFirst, readPage, tell, onMissed } = options;
  const known = new LRUCache<EventId, true>({ max: MAX_KNOWN });
  let isFirst = true;
  let sinceMs: number | undefined;

  function remember(rows: readonly EventSummary[]): void {
    for (const { event_id: id } of rows) {
      known.set(id, true);
      sinceMs = Math.max(sinceMs ?? 0, receivedMs(id));
    }
  }

  async function readNews(): Promise<EventSummary[]> {
    const asked = withSince(query, sinceMs);
    const news: EventSummary[] = [];
    let next: string | null = null;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { rows, nextCursor }: WatchedPage = await readPage(asked, {
        limit: PAGE_ROWS,
        ...(next !== null && { cursor: next }),
      });
      const end = rows.findIndex(({ event_id: id }) => known.has(id));
      news.push(...(end === -1 ? rows : rows.slice(0, end)));
      next = nextCursor;
      if (end !== -1 || next === null) return news;
    }
    await onMissed();
    return news;
  }

  return async () => {
    if (isFirst) {
      // Before the first list: what arrives in between belongs to the news.
      const [newest] = (await reader.searchEvents({ limit: 1 })).events;
      if (newest !== undefined) sinceMs = receivedMs(newest.event_id);
    }
    const rows = isFirst ? await readFirst() : await readNews();
    isFirst = false;
    remember(rows.toReversed());
    await tell(rows.toReversed());
  };
}

/** The receipt in milliseconds since the epoch: the time in a UUIDv7. */
function receivedMs(id: EventId): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

function withSince(query: string | undefined, sinceMs: number | undefined): string {
  const text = query?.trim() ?? '';
  if (sinceMs === undefined) return text;
  const since = `received_at:>=${new Date(Math.max(0, sinceMs - MARGIN_MS)).toISOString()}`;
  return text === '' ? since : `(${text}) ${since}`;
}
