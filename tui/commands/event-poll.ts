import { LRUCache } from 'lru-cache';
import type { EventListOptions } from '../../core/contract/reader.js';
import type { EventId, IssueId } from '../../core/event/ids.js';
import type { EventPage, EventSearchPage, EventSummary } from '../../generated/reader-answers.js';
import type { RowPage } from '../state/paged-list.js';
import { shortCount } from '../text/counts.js';
import { issueNotFound } from './find-ids.js';
import { collectPages, type FormattedOptions } from './printing-command.js';
import { CLEAR_LINE, print } from './text-output.js';

export interface EventsOptions extends FormattedOptions {
  /** As typed: an id or the start of one. Default: events of all issues. */
  issueId?: string | undefined;
  /** Default: all events. */
  query?: string | undefined;
  /** Only events since a duration, a date or a release. */
  since?: string | undefined;
  /** At least 1; limits only the first list of a watch. */
  limit: number;
  /** Prints new events until interrupted; default false. */
  isWatch?: boolean | undefined;
  /** Milliseconds between two polls, default 1,000. */
  intervalMs?: number | undefined;
  /** Default: this process. */
  signals?: NodeJS.EventEmitter | undefined;
}

const PAGE_ROWS = 500;
const MAX_PAGES = 20;
/** Ids that are remembered to recognise known events. */
const MAX_KNOWN_IDS = 20_000;
/** Tolerated backward step of the clock. */
const MARGIN_MS = 10_000;

/** Creates the poll of a watch: the latest events, then those that arrived since, by receipt time so that rare queries scan little. */
export function createEventPoll(
  options: EventsOptions,
  issueId: IssueId | undefined,
  onEvents: (events: readonly EventSummary[]) => Promise<void>,
): () => Promise<void> {
  const { reader, query, stderr } = options;
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
      const { events, next_cursor } = await fetchPage(options, issueId, { query: newQuery, limit: PAGE_ROWS, cursor });
      const end = events.findIndex(({ event_id: id }) => known.has(id));
      found.push(...(end === -1 ? events : events.slice(0, end)));
      if (end !== -1 || next_cursor === null) return found;
      cursor = next_cursor;
    }
    await print(stderr, 'Too many events at once; older ones were skipped.\n');
    return found;
  }

  return async () => {
    if (isFirst) {
      // Read before the first list, so that the next poll finds events that arrive in between.
      const [newest] = (await reader.searchEvents({ limit: 1 })).events;
      if (newest !== undefined) sinceMs = receivedMs(newest.event_id);
    }
    const rows = isFirst ? (await fetchFirstPages(options, issueId)).rows : await fetchNew();
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

/** Reads the first pages; if standard error is a terminal, a search of all issues shows its progress. */
export async function fetchFirstPages(
  options: EventsOptions,
  issueId: IssueId | undefined,
): Promise<RowPage<EventSummary>> {
  const { query, limit, stderr } = options;
  const showsProgress = issueId === undefined && stderr.isTTY === true;
  try {
    return await collectPages<EventSummary>(limit, async (range) => {
      const page = await fetchPage(options, issueId, { ...range, query });
      const isSearch = 'scanned' in page && page.next_cursor !== null;
      if (showsProgress && isSearch) await print(stderr, CLEAR_LINE + progressText(page));
      return { rows: page.events, nextCursor: page.next_cursor };
    });
  } finally {
    if (showsProgress) await print(stderr, CLEAR_LINE);
  }
}

async function fetchPage(
  { reader }: EventsOptions,
  issueId: IssueId | undefined,
  range: EventListOptions,
): Promise<EventPage | EventSearchPage> {
  if (issueId === undefined) return await reader.searchEvents(range);
  const page = await reader.listEvents(issueId, range);
  if (page === undefined) throw issueNotFound(issueId);
  return page;
}

function progressText({ scanned, total }: EventSearchPage): string {
  const percent = total.events === 0 ? 100 : Math.floor((100 * scanned.events) / total.events);
  return `searched ${shortCount(scanned.events)} of ${shortCount(total.events)} events (${percent}%)`;
}
