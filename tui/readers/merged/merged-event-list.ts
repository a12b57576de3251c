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
import { allSilent, type SourceCircle } from './source-circle.js';
import type { SourceLink } from './source-link.js';

/** A list of events that every source has for itself. */
export interface EventListing {
  /** Tells this list from all others. */
  readonly name: string;
  /** A page of one source; undefined where it has no such list. */
  readonly page: (reader: SourceReader, options: EventListOptions) => Promise<EventChunk | undefined>;
}

/** A page of merged events. */
export interface MergedEvents {
  readonly events: EventSummary[];
  readonly nextCursor: string | null;
  /** Over the sources that are searched; zeros where nothing is. */
  readonly extents: SearchExtents;
  /** Whether every source was read to its end. */
  readonly isComplete: boolean;
}

/** After so long a page ends, full or not: each source may look for a fifth of a second for each of its pages. */
const BUDGET_MS = 400;

const MAX_PAGES = 64;

/** Merges lists of events, newest arrival first: ids of events order them by arrival. */
export class MergedEventList {
  readonly #circle: SourceCircle;
  /** Pages never change, so that those which were listed in part are not searched again. */
  readonly #kept = new LRUCache<string, EventChunk>({ max: MAX_PAGES });

  constructor(circle: SourceCircle) {
    this.#circle = circle;
  }

  /**
   * The page that `options` ask for; undefined where no source has such a list. Throws what a source says of query and cursor, and `COLLECTOR_UNREACHABLE` where none
   * answers, or none that has such a list.
   */
  async page(listing: EventListing, { cursor, query, limit }: EventListOptions): Promise<MergedEvents | undefined> {
    const { links } = this.#circle;
    const list = JSON.stringify([listing.name, query ?? '']);
    const position =
      cursor === undefined ? firstPosition(links.length) : decodeEventPosition(list, cursor, links.length);
    const reading = { listing, position, options: { ...(query !== undefined && { query }), limit: pageLimit(limit) } };
    const all = links.map((link, index) => new EventWindow(link, position.starts[index] ?? NO_START));
    const silent = await this.#read(all, reading);
    let windows = all.filter((window) => !silent.has(window));
    if (windows.every(({ isMissing }) => isMissing)) {
      if (silent.size > 0) throw allSilent([...silent.values()]);
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

  /** Reads on in those windows that have more; answers those whose sources are silent. */
  async #read(windows: readonly EventWindow[], reading: Reading): Promise<ReadonlyMap<EventWindow, Fault>> {
    const silent = new Map<EventWindow, Fault>();
    const readOn = async (window: EventWindow): Promise<void> => {
      const fault = await this.#readOn(window, reading);
      if (fault !== undefined) silent.set(window, fault);
    };
    await Promise.all(windows.map(readOn));
    return silent;
  }

  async #readOn(window: EventWindow, { listing, position, options }: Reading): Promise<Fault | undefined> {
    const { after, isEnd } = window.next;
    if (isEnd) return undefined;
    const asked = { ...options, ...(after !== null && { cursor: after }) };
    const question = `${listing.name} ${JSON.stringify(asked)}`;
    const place = `${position.listing} ${window.link.name} ${question}`;
    const kept = this.#kept.get(place);
    if (kept !== undefined) {
      window.add(kept);
      return undefined;
    }
    const answer = await window.link.ask(question, (reader) => listing.page(reader, asked));
    if ('fault' in answer) return answer.fault;
    window.add(answer.value);
    if (answer.value !== undefined) this.#kept.set(place, answer.value);
    return undefined;
  }
}

/** What one call reads. */
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

/** What was read and not listed before, newest first; the same event of two sources, of which one is a copy, once. */
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
  // Of a silent source what it had said before.
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
