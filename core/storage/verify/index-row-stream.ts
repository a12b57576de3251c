import type { EventRow, EventSegment } from '../index/event-segment.js';
import type { IndexContent } from '../index/index-content.js';

/** The rows of an index on disk in order of arrival, one segment in memory at a time. */
export class IndexRowStream {
  readonly #content: IndexContent;
  readonly #end: number;
  #number: number;
  #segment: EventSegment | undefined;
  #place = 0;

  /** Over the sealed segments, without the rows that retention removed. */
  constructor(content: IndexContent) {
    this.#content = content;
    const { firstSegment, segments } = content.segments.sealed;
    this.#number = firstSegment - 1;
    this.#end = segments;
  }

  /** The next row, again and again until `advance`; undefined at the end. */
  async peek(): Promise<EventRow | undefined> {
    const { beforeMicros } = this.#content.removed;
    for (let row = await this.#look(); row !== undefined; row = await this.#look()) {
      if (row.receivedAtMicros >= beforeMicros) return row;
      this.advance();
    }
    return undefined;
  }

  advance(): void {
    this.#place += 1;
  }

  async #look(): Promise<EventRow | undefined> {
    while (this.#segment === undefined || this.#place >= this.#segment.rows) {
      if (this.#number + 1 >= this.#end) return undefined;
      this.#number += 1;
      this.#segment = await this.#content.segments.get(this.#number);
      this.#place = 0;
    }
    return this.#segment.row(this.#place);
  }
}
