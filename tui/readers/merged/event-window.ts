import type { EventId } from '../../../core/event/ids.js';
import type { EventSummary } from '../../../generated/reader-answers.js';
import type { EventStart, SearchExtents } from './event-position.js';
import type { SourceLink } from './source-link.js';

/** A page of the events of one source. */
export interface EventChunk {
  readonly events: readonly EventSummary[];
  readonly next_cursor: string | null;
  readonly extents?: SearchExtents;
}

/** The events of one source that are looked at to make a page: whole pages of its own list. */
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

  /** Whether this source has no such list. */
  get isMissing(): boolean {
    return this.#isMissing;
  }

  get events(): readonly EventSummary[] {
    return this.#chunks.flatMap(({ events }) => events);
  }

  /** Whether every event of this source that was not read yet arrived before that one. */
  isRead(eventId: EventId): boolean {
    if (this.#next.isEnd) return true;
    const last = this.events.at(-1);
    return last !== undefined && eventId >= last.event_id;
  }

  /** Takes the page that begins at `next`; undefined where there is no such list. */
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
    // A page that leads to itself would be read for ever.
    const isEnd = next_cursor === null || next_cursor === start.after;
    this.#next = { after: isEnd ? start.after : next_cursor, isEnd, ...(extents && { extents }) };
  }

  /** Where the next page begins when everything down to `last` was listed: pages that were listed as a whole are not read again. */
  rest(last: EventId | null): EventStart {
    const open = this.#chunks.find(({ events }) => events.some(({ event_id }) => last === null || event_id < last));
    return open?.start ?? this.#next;
  }
}
