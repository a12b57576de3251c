import type { EventSummary, ScanExtent } from '../../generated/reader-answers.js';
import { EMPTY_LIST, type PagedList } from './paged-list.js';

/** Events of all issues that match a query: a search at a time, to which nothing is added. */
export interface EventsScreen {
  readonly kind: 'events';
  readonly key: number;
  readonly query: string;
  readonly list: PagedList<EventSummary>;
  /** `loading`: nothing was read for the query yet. `stopped`: it does not go on before the person moves on. `failed`: it cannot go on. */
  readonly reading: 'loading' | 'loaded' | 'stopped' | 'failed';
  /** Pages that were read since there were rows enough, or since the person moved. */
  readonly pages: number;
  /** What was looked at, of how much; undefined before the first answer. */
  readonly scanned: { readonly done: ScanExtent; readonly total: ScanExtent; readonly isComplete: boolean } | undefined;
}

/** A search that was just begun. */
export function openEvents(key: number, query: string): EventsScreen {
  return { kind: 'events', key, query, list: EMPTY_LIST, reading: 'loading', pages: 0, scanned: undefined };
}
