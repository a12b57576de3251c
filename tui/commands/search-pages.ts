import type { EventSearchPage, EventSummary, FailureReader } from '../../core/reader.js';
import { shortCount } from '../format/counts.js';
import type { RowPage } from '../state/paged-list.js';
import { collectPages } from './collect-pages.js';
import { print, type TextOutput } from './text-output.js';

const CLEAR_LINE = '\r\u001b[K';

/** Searches the events of all issues until so many are found or all were looked at; on a terminal standard error says how far it is. */
export async function searchPages(search: {
  reader: FailureReader;
  query: string | undefined;
  limit: number;
  stderr: TextOutput;
}): Promise<RowPage<EventSummary>> {
  const { reader, query, limit, stderr } = search;
  const isWatched = stderr.isTTY === true;
  try {
    return await collectPages<EventSummary>(limit, async (range) => {
      const page = await reader.searchEvents({ ...range, ...(query === undefined ? {} : { query }) });
      if (isWatched && page.next_cursor !== null) await print(stderr, CLEAR_LINE + progressText(page));
      return { rows: page.events, nextCursor: page.next_cursor };
    });
  } finally {
    if (isWatched) await print(stderr, CLEAR_LINE);
  }
}

function progressText({ scanned, total }: EventSearchPage): string {
  const percent = total.events === 0 ? 100 : Math.floor((100 * scanned.events) / total.events);
  return `looked at ${shortCount(scanned.events)} of ${shortCount(total.events)} events (${percent}%)`;
}
