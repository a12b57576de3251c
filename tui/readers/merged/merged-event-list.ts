import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { EventListOptions } from '../../../core/contract/reader.js';
import type { Fault } from '../../../core/event/fault.js';
import { pageLimit } from '../../../core/storage/issue-queries/page-cursor.js';
import type { EventSummary, ScanExtent } from '../../../generated/reader-answers.js';
import type { SourceReader } from '../source.js';
import {
  decodeEventPosition,
  type EventPosition,
  type EventStart,
  encodeEventPosition,
  type SearchExtents,
} from './event-position.js';
import { type EventChunk, EventWindow } from './event-window.js';
import { type SourceGroup, unreachableFault } from './source-group.js';
import type { SourceLink } from './source-link.js';

/** A list of events to merge. */
export interface EventListing {
  /** Identifies the list. */
  readonly name: string;
  /** Returns a page of one source; undefined if it does not have the list. */
  readonly page: (reader: SourceReader, options: EventListOptions) => Promise<EventChunk | undefined>;
}

/** A page of merged events. */
export interface MergedEvents {
  readonly events: EventSummary[];
  readonly nextCursor: string | null;
  /** Sums over all sources; zeros for lists that are not searches. */
  readonly extents: SearchExtents;
  /** Whether all sources were read to their end. */
  readonly isComplete: boolean;
}

/** A page ends after this time, full or not; one source page may take 200 ms. */
const BUDGET_MS = 400;

const MAX_CACHED_PAGES = 64;

/** Merges lists of events, newest arrival first. Event ids sort by arrival. */
export class MergedEventList {
  readonly #group: SourceGroup;
  /** Source pages that were listed in part; a page never changes. */
  readonly #pages = new LRUCache<string, EventChunk>({ max: MAX_CACHED_PAGES });

  constructor(group: SourceGroup) {
    this.#group = group;
  }

  /**
   * Returns one page; undefined if no source has the list. Throws request faults of the sources, and
   * `COLLECTOR_UNREACHABLE` if none responds, or none that has the list.
   */
  async page(listing: EventListing, { cursor, query, limit }: EventListOptions): Promise<MergedEvents | undefined> {
    const { links } = this.#group;
    const list = JSON.stringify([listing.name, query ?? '']);
    const position =
      cursor === undefined ? firstPosition(links.length) : decodeEventPosition(list, cursor, links.length);
    const reading = { listing, position, options: { ...(query !== undefined && { query }), limit: pageLimit(limit) } };
    const all = links.map((link, index) => new EventWindow(link, position.starts[index] ?? NO_START));
    const faults = await this.#read(all, reading);
    let windows = all.filter((window) => !faults.has(window));
    if (windows.every(({ isMissing }) => isMissing)) {
      if (faults.size > 0) throw unreachableFault([...faults.values()]);
      return undefined;
    }
    const endsAtMs = performance.now() + BUDGET_MS;
    for (;;) {
      const wanted = unlisted(windows, position)[reading.options.limit - 1]?.event_id;
      const blocking = windows.filter(
        (window) => !window.next.isEnd && (wanted === undefined || !window.isRead(wanted)),
      );
      if (blocking.length === 0 || performance.now() >= endsAtMs) break;
      const lost = await this.#read(blocking, reading);
      windows = windows.filter((window) => !lost.has(window));
    }
    return toPage(list, links, windows, reading);
  }

  /** Fetches the next page of each window that has one; returns the faults of sources that did not respond. */
  async #read(windows: readonly EventWindow[], reading: Reading): Promise<ReadonlyMap<EventWindow, Fault>> {
    const faults = new Map<EventWindow, Fault>();
    const fetchNext = async (window: EventWindow): Promise<void> => {
      const fault = await this.#fetchNext(window, reading);
      if (fault !== undefined) faults.set(window, fault);
    };
    await Promise.all(windows.map(fetchNext));
    return faults;
  }

  async #fetchNext(window: EventWindow, { listing, position, options }: Reading): Promise<Fault | undefined> {
    const { after, isEnd } = window.next;
    if (isEnd) return undefined;
    const pageOptions = { ...options, ...(after !== null && { cursor: after }) };
    const key = `${listing.name} ${JSON.stringify(pageOptions)}`;
    const cacheKey = `${position.listing} ${window.link.name} ${key}`;
    const cached = this.#pages.get(cacheKey);
    if (cached !== undefined) {
      window.add(cached);
      return undefined;
    }
    const response = await window.link.query(key, (reader) => listing.page(reader, pageOptions));
    if ('fault' in response) return response.fault;
    window.add(response.value);
    if (response.value !== undefined) this.#pages.set(cacheKey, response.value);
    return undefined;
  }
}

interface Reading {
  readonly listing: EventListing;
  readonly position: EventPosition;
  readonly options: EventListOptions & { readonly limit: number };
}

const NO_START: EventStart = { after: null, isEnd: true };

function firstPosition(sources: number): EventPosition {
  const starts = Array.from({ length: sources }, () => ({ after: null, isEnd: false }));
  return { listing: randomUUID(), starts, last: null };
}

/** Returns fetched events that are not listed yet, newest first; an event of two sources once. */
function unlisted(windows: readonly EventWindow[], { last }: EventPosition): EventSummary[] {
  const byId = new Map(windows.flatMap(({ events }) => events).map((event) => [event.event_id, event]));
  return [...byId.values()]
    .filter(({ event_id }) => last === null || event_id < last)
    .sort((one, other) => (one.event_id > other.event_id ? -1 : 1));
}

function toPage(
  list: string,
  links: readonly SourceLink[],
  windows: readonly EventWindow[],
  { position, options }: Reading,
): MergedEvents {
  const found = unlisted(windows, position);
  const firstUnread = found.findIndex(({ event_id }) => !windows.every((window) => window.isRead(event_id)));
  const events = found.slice(0, Math.min(options.limit, firstUnread === -1 ? found.length : firstUnread));
  const last = events.at(-1)?.event_id ?? position.last;
  const byLink = new Map(windows.map((window) => [window.link, window]));
  const startOf = (link: SourceLink, index: number): EventStart =>
    byLink.get(link)?.rest(last) ?? position.starts[index] ?? NO_START;
  const starts = links.map(startOf);
  const isOver = windows.every((window) => window.rest(last).isEnd);
  // For a source that did not respond, the previous extents.
  const extents = links.map((link, index) => (byLink.get(link)?.next ?? position.starts[index])?.extents);
  return {
    events,
    nextCursor: isOver ? null : encodeEventPosition(list, { listing: position.listing, starts, last }),
    extents: addExtents(extents.filter((extent) => extent !== undefined)),
    isComplete: isOver && windows.length === links.length,
  };
}

function addExtents(extents: readonly SearchExtents[]): SearchExtents {
  const add = (of: (extents: SearchExtents) => ScanExtent): ScanExtent => ({
    events: extents.reduce((sum, one) => sum + of(one).events, 0),
    bytes: extents.reduce((sum, one) => sum + of(one).bytes, 0),
  });
  return { scanned: add(({ scanned }) => scanned), total: add(({ total }) => total) };
}
