import type { IndexContent } from './content/index-content.js';
import type { EventRow, EventSegment } from './segments/event-segment.js';

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
