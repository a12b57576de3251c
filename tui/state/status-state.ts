import type { EventSummary, RejectedRecord, ReleaseSummary, ScanExtent } from '../../generated/reader-answers.js';
import { EVENT_ROWS, emptyList, type PagedList, type RowKind } from './paged-list.js';

/** The sources, and the receivers and exporters of the selected one. */
export interface StatusScreen {
  readonly kind: 'status';
  readonly key: number;
  /** Of the selected source. */
  readonly index: number;
  /** Index of the first visible line. */
  readonly top: number;
}

/** The rejected payloads that are kept. */
export interface RejectedScreen {
  readonly kind: 'rejected';
  readonly key: number;
  /** Words; empty: all. */
  readonly query: string;
  readonly list: PagedList<RejectedRecord>;
  /** Whether the rows of `query` are still being read. */
  readonly isLoading: boolean;
  readonly isPreviewOn: boolean;
}

/** The releases of the events and of release calls. */
export interface ReleasesScreen {
  readonly kind: 'releases';
  readonly key: number;
  readonly list: PagedList<ReleaseSummary>;
  /** Releases, loaded or not. */
  readonly total: number;
  /** Whether the first rows are still being read. */
  readonly isLoading: boolean;
}

/** Releases by name. */
const RELEASE_ROWS: RowKind<ReleaseSummary> = {
  idOf: ({ name }) => name,
  isSame: (before, after) => JSON.stringify(before) === JSON.stringify(after),
};

/** The list before its first rows. */
export function openReleases(key: number): ReleasesScreen {
  return { kind: 'releases', key, list: emptyList(RELEASE_ROWS), total: 0, isLoading: true };
}

/** Records never change. */
const REJECTED_ROWS: RowKind<RejectedRecord> = { idOf: ({ id = '' }) => id, isSame: () => true };

/** The status before the user moves. */
export function openStatus(key: number): StatusScreen {
  return { kind: 'status', key, index: 0, top: 0 };
}

/** The list before its first page. */
export function openRejected(key: number, query = '', isPreviewOn = true): RejectedScreen {
  return { kind: 'rejected', key, query, list: emptyList(REJECTED_ROWS), isLoading: true, isPreviewOn };
}

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
  return { kind: 'events', key, query, list: emptyList(EVENT_ROWS), reading: 'loading', scanned: undefined };
}

/** The search for another query. */
export function searchFor(screen: EventsScreen, query: string): EventsScreen {
  return { ...screen, query, reading: 'loading', scanned: undefined };
}
