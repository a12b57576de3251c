import type { EventId } from '../../../core/event/ids.js';
import type { EventSummary } from '../../../generated/reader-answers.js';
import type { EventStart, SearchExtents } from './event-position.js';
import type { SourceLink } from './source-link.js';

/** A page of one source. */
export interface EventChunk {
  readonly events: readonly EventSummary[];
  readonly next_cursor: string | null;
  readonly extents?: SearchExtents;
}

/** Consecutive pages of one source's events, fetched to fill one merged page. */
export class EventWindow {
  readonly link: SourceLink;
  readonly #chunks: { readonly start: EventStart; readonly events: readonly EventSummary[] }[] = [];
  #next: EventStart;
  #isMissing = false;

  constructor(link: SourceLink, start: EventStart) {
    this.link = link;
    this.#next = start;
  }

  get next(): EventStart {
    return this.#next;
  }

  /** Whether the source does not have this list. */
  get isMissing(): boolean {
    return this.#isMissing;
  }

  get events(): readonly EventSummary[] {
    return this.#chunks.flatMap(({ events }) => events);
  }

  /** Whether all events that are not fetched yet arrived before the given one. */
  isRead(eventId: EventId): boolean {
    if (this.#next.isEnd) return true;
    const last = this.events.at(-1);
    return last !== undefined && eventId >= last.event_id;
  }

  /** Appends the page at `next`; undefined if the source does not have this list. */
  add(chunk: EventChunk | undefined): void {
    const start = this.#next;
    if (start.isEnd) return;
    if (chunk === undefined) {
      this.#isMissing = true;
      this.#next = { after: start.after, isEnd: true };
      return;
    }
    const { events, next_cursor, extents } = chunk;
    this.#chunks.push({ start, events });
    // A page whose cursor leads to itself would loop for ever.
    const isEnd = next_cursor === null || next_cursor === start.after;
    this.#next = { after: isEnd ? start.after : next_cursor, isEnd, ...(extents && { extents }) };
  }

  /** Returns the first page with events after `last`. */
  rest(last: EventId | null): EventStart {
    const open = this.#chunks.find(({ events }) => events.some(({ event_id }) => last === null || event_id < last));
    return open?.start ?? this.#next;
  }
}
