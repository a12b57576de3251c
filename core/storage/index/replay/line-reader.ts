import type { ReplayedLine } from '../../record/commits/replayed-commit.js';
import { decodeLineAt } from '../../record/reader/decode-line-at.js';
import type { DescribedFailure, IndexedFailure } from '../content/indexed-event.js';
import { EventGroupers, type IndexGrouping } from './event-groupers.js';

/** Decodes lines of the record for the index; throws `RAW_LINE_INVALID` for a line that is not a payload. */
export class LineDecoder {
  readonly #groupers: EventGroupers;

  constructor(grouping: IndexGrouping) {
    this.#groupers = new EventGroupers(grouping);
  }

  /** Decodes what the index counts. Computes the fingerprint only if the stored one is missing or does not count. */
  decode(line: ReplayedLine, receivedAtMicros: number): IndexedFailure | DescribedFailure {
    // Read once: the getter slices the commit record.
    const { fingerprint } = line;
    const { keepsStored, grouper } = this.#groupers.at(receivedAtMicros, fingerprint?.version);
    const payload = decodeLineAt(line, line.rawLine);
    if (fingerprint !== undefined && keepsStored) return { payload, fingerprint };
    return { payload, fingerprint: grouper.fingerprint(payload) };
  }

  /** Decodes what describes a new issue, which costs as much as grouping the event anew. */
  describe(line: ReplayedLine, receivedAtMicros: number): DescribedFailure {
    const { grouper } = this.#groupers.at(receivedAtMicros, line.fingerprint?.version);
    const payload = decodeLineAt(line, line.rawLine);
    return { payload, fingerprint: grouper.fingerprint(payload) };
  }
}
