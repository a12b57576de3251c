import { decodeLineAt } from '../decode-line-at.js';
import type { ReplayedLine } from '../record/record-reader.js';
import { EventGroupers, type IndexGrouping } from './event-groupers.js';
import type { DescribedFailure, IndexedFailure } from './indexed-event.js';

/** Reads lines of the record for the index, each with its receipt; `read` and `describe` throw Fault `RAW_LINE_INVALID` for what is no payload. */
export interface LineReader {
  /** What is counted of a line. It is grouped anew only where what the record says does not count, or it says nothing. */
  read(line: ReplayedLine, receivedAtMicros: number): IndexedFailure | DescribedFailure;
  /** The same with what a new issue is described by, which costs as much as grouping it anew. */
  describe(line: ReplayedLine, receivedAtMicros: number): DescribedFailure;
}

/** Builds the reader for an index that groups so. */
export function createLineReader(grouping: IndexGrouping): LineReader {
  const groupers = new EventGroupers(grouping);
  const grouperOf = ({ fingerprint }: ReplayedLine, receivedAtMicros: number) =>
    groupers.at(receivedAtMicros, fingerprint?.version);
  const describe = (line: ReplayedLine, receivedAtMicros: number): DescribedFailure => {
    const payload = decodeLineAt(line, line.rawLine);
    return { payload, fingerprint: grouperOf(line, receivedAtMicros).grouper.fingerprint(payload) };
  };
  return {
    read(line, receivedAtMicros) {
      const { fingerprint } = line;
      if (fingerprint === undefined || !grouperOf(line, receivedAtMicros).keepsStored)
        return describe(line, receivedAtMicros);
      return { payload: decodeLineAt(line, line.rawLine), fingerprint };
    },
    describe,
  };
}
