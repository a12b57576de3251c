import type { EventSummary, ScanExtent } from '../../generated/reader-answers.js';
import { EMPTY_LIST, type PagedList } from './paged-list.js';

/** A search over the events of all issues; it is not polled. */
export interface EventsScreen {
  readonly kind: 'events';
  readonly key: number;
  readonly query: string;
  readonly list: PagedList<EventSummary>;
  /** `loading`: before the first page, with the rows of the query before. `stopped`: goes on with a move to the end. `failed`: cannot continue. */
  readonly reading: 'loading' | 'loaded' | 'stopped' | 'failed';
  /** Undefined before the first page. */
  readonly scanned: { readonly done: ScanExtent; readonly total: ScanExtent; readonly isComplete: boolean } | undefined;
}

/** A search before its first page. */
export function openEvents(key: number, query: string): EventsScreen {
  return { kind: 'events', key, query, list: EMPTY_LIST, reading: 'loading', scanned: undefined };
}

/** The search for another query. */
export function searchFor(screen: EventsScreen, query: string): EventsScreen {
  return { ...screen, query, reading: 'loading', scanned: undefined };
}
