import type { IndexContent } from './content/index-content.js';
import type { EventRow, EventSegment } from './segments/event-segment.js';

/** The rows of an index in order of arrival, without those that retention removed, one segment in memory at a time. Rejects with `INDEX_UNUSABLE`. */
export class RowWalk {
  readonly #content: IndexContent;
  #number: number;
  #segment: EventSegment | undefined;
  #place = 0;

  constructor(content: IndexContent) {
    this.#content = content;
    this.#number = content.segments.sealed.firstSegment - 1;
  }

  /** The next row, again and again until `advance`; undefined where there is none yet. `toTheEnd`: also in the segment that still grows, not only in sealed ones. */
  async peek(toTheEnd: boolean): Promise<EventRow | undefined> {
    for (;;) {
      const row = this.#segment?.row(this.#place);
      if (row !== undefined && row.receivedAtMicros >= this.#content.removed.beforeMicros) return row;
      if (row !== undefined) this.#place += 1;
      else if (!(await this.#nextSegment(toTheEnd))) return undefined;
    }
  }

  advance(): void {
    this.#place += 1;
  }

  async #nextSegment(toTheEnd: boolean): Promise<boolean> {
    const { segments } = this.#content;
    const end = toTheEnd ? segments.sealed.segments + 1 : segments.sealed.segments;
    // The segment that is looked at may be the one that grows: nothing comes behind it.
    if (this.#number + 1 >= end) return false;
    this.#number += 1;
    this.#segment = await segments.get(this.#number);
    this.#place = 0;
    return true;
  }
}
