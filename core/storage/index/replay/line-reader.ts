import type { ReplayedLine } from '../../record/commits/replayed-commit.js';
import { decodeLineAt } from '../../record/reader/decode-line-at.js';
import type { DescribedFailure, IndexedFailure } from '../content/indexed-event.js';
import { EventGroupers, type IndexGrouping } from './event-groupers.js';

/** Reads lines of the record for the index, each with its receipt; `read` and `describe` throw Fault `RAW_LINE_INVALID` for what is no payload. */
export class LineReader {
  readonly #groupers: EventGroupers;

  constructor(grouping: IndexGrouping) {
    this.#groupers = new EventGroupers(grouping);
  }

  /** What is counted of a line. It is grouped anew only where what the record says does not count, or it says nothing. */
  read(line: ReplayedLine, receivedAtMicros: number): IndexedFailure | DescribedFailure {
    // Asked once: each time it is cut out of the commit record.
    const { fingerprint } = line;
    const { keepsStored, grouper } = this.#groupers.at(receivedAtMicros, fingerprint?.version);
    const payload = decodeLineAt(line, line.rawLine);
    if (fingerprint !== undefined && keepsStored) return { payload, fingerprint };
    return { payload, fingerprint: grouper.fingerprint(payload) };
  }

  /** The same with what a new issue is described by, which costs as much as grouping it anew. */
  describe(line: ReplayedLine, receivedAtMicros: number): DescribedFailure {
    const { grouper } = this.#groupers.at(receivedAtMicros, line.fingerprint?.version);
    const payload = decodeLineAt(line, line.rawLine);
    return { payload, fingerprint: grouper.fingerprint(payload) };
  }
}
