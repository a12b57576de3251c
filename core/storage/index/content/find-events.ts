import type { EventId } from '../../../event/ids.js';
import { parseEventId } from '../../record/partitions/event-id.js';
import type { EventRow, EventSegment } from '../segments/event-segment.js';
import type { IndexContent } from './index-content.js';
import type { IssueState } from './issue-state.js';

/** One event of the index and its position in the order of arrival. */
export interface EventLocation {
  readonly segment: number;
  readonly rowIndex: number;
  readonly row: EventRow;
}

/** Whether retention removed everything of the event's time. */
export function isRemoved(content: IndexContent, eventId: EventId): boolean {
  const id = parseEventId(eventId);
  return id !== undefined && id.receivedAtMicros < content.removed.beforeMicros;
}

/** Finds an event by id; undefined if the index does not hold it. Rejects with `INDEX_UNUSABLE`. */
export async function findEvent(content: IndexContent, eventId: EventId): Promise<EventLocation | undefined> {
  const id = parseEventId(eventId);
  if (id === undefined || id.receivedAtMicros < content.removed.beforeMicros) return undefined;
  const number = content.segments.numberAt(id.receivedAtMicros);
  if (number < 0) return undefined;
  const segment = await content.segments.get(number);
  const place = segment.rowIndexOf(id);
  const row = segment.row(place);
  return row && { segment: number, rowIndex: place, row };
}

/** As `findEvent`, also by the id that the event has at the collector that sent it. */
export async function findEventOrOrigin(
  content: IndexContent,
  eventId: EventId,
  findStored: FindStored,
): Promise<EventLocation | undefined> {
  const event = await findEvent(content, eventId);
  if (event !== undefined) return event;
  const stored = await findStored(eventId);
  return stored && (await findEvent(content, stored));
}

/** Events of an issue, newest first, as of this call. Rejects with `INDEX_UNUSABLE`. */
export async function* eventsOf(content: IndexContent, issue: IssueState): AsyncGenerator<EventRow> {
  let number = issue.lastSegment;
  while (number >= content.segments.sealed.firstSegment) {
    const segment = await content.segments.get(number);
    for (let place = segment.lastRowOf(issue.ordinal); place >= 0; place = segment.lastRowOf(issue.ordinal, place)) {
      const row = segment.row(place);
      // Retention may have removed it during the iteration.
      if (row === undefined || row.receivedAtMicros < content.removed.beforeMicros) return;
      yield row;
    }
    number = segment.previous.get(issue.ordinal) ?? -1;
  }
}

/** The first event of an issue; undefined if it was removed or is missing. Rejects with `INDEX_UNUSABLE`. */
export async function firstEventOf(content: IndexContent, issue: IssueState): Promise<EventLocation | undefined> {
  if (issue.firstReceivedAtMicros < content.removed.beforeMicros) return undefined;
  const number = content.segments.numberAt(issue.firstReceivedAtMicros);
  if (number < 0) return undefined;
  const segment = await content.segments.get(number);
  const place = segment.firstRowOf(issue.ordinal);
  const row = segment.row(place);
  return row && { segment: number, rowIndex: place, row };
}

/** Returns the id in this folder of an event that has another id at the collector that sent it; undefined if it is unknown. */
export type FindStored = (eventId: EventId) => Promise<EventId | undefined>;

/** Iterates over the rows of an index in order of arrival, except removed ones. Rejects with `INDEX_UNUSABLE`. */
export class RowWalk {
  readonly #content: IndexContent;
  #number: number;
  #segment: EventSegment | undefined;
  #index = 0;

  constructor(content: IndexContent) {
    this.#content = content;
    this.#number = content.segments.sealed.firstSegment - 1;
  }

  /** The next row, without advancing; undefined at the end. `toTheEnd` includes the open segment. */
  async peek(toTheEnd: boolean): Promise<EventRow | undefined> {
    for (;;) {
      const row = this.#segment?.row(this.#index);
      if (row !== undefined && row.receivedAtMicros >= this.#content.removed.beforeMicros) return row;
      if (row !== undefined) this.#index += 1;
      else if (!(await this.#nextSegment(toTheEnd))) return undefined;
    }
  }

  advance(): void {
    this.#index += 1;
  }

  async #nextSegment(toTheEnd: boolean): Promise<boolean> {
    const { segments } = this.#content;
    const end = toTheEnd ? segments.sealed.segments + 1 : segments.sealed.segments;
    // Nothing follows the open segment.
    if (this.#number + 1 >= end) return false;
    this.#number += 1;
    this.#segment = await segments.get(this.#number);
    this.#index = 0;
    return true;
  }
}
