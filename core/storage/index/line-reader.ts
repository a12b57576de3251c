import type { RawPayload } from '../../event/raw-payload.js';
import type { Fingerprint } from '../../fingerprint/fingerprint.js';
import { decodeLineAt } from '../decode-line-at.js';
import type { CommitRecord } from '../record/commit-record.js';
import type { ReplayedLine } from '../record/record-reader.js';
import { fingerprintVersionOf } from './fingerprint-version.js';
import type { DescribedFailure, IndexedFailure } from './indexed-event.js';

/** Reads lines of the record for the index; both throw Fault `RAW_LINE_INVALID` for what is no payload. */
export interface LineReader {
  /** What is counted of a line. It is grouped anew only where the record does not say what grouped it. */
  read(line: ReplayedLine): IndexedFailure | DescribedFailure;
  /** The same with what a new issue is described by, which costs as much as grouping it anew. */
  describe(line: ReplayedLine): DescribedFailure;
  /** The line without its fingerprint where that came from other rules than those that group now: its event is regrouped. */
  withCurrentFingerprint(line: ReplayedLine): ReplayedLine;
  /** What a commit record says of its lines, for a thread that reads them; undefined where they are to be grouped anew. */
  currentValues(fingerprints: CommitRecord['fingerprints']): string | undefined;
  /** Of the rules that group now. */
  readonly version: number;
}

/** Builds the reader for what this function groups. */
export function createLineReader(fingerprint: (payload: RawPayload) => Fingerprint): LineReader {
  const currentVersion = fingerprintVersionOf(fingerprint);
  const isCurrent = (line: ReplayedLine): boolean => line.fingerprint?.version === currentVersion;
  const describe = (line: ReplayedLine): DescribedFailure => {
    const payload = decodeLineAt(line, line.rawLine);
    return { payload, fingerprint: fingerprint(payload) };
  };
  return {
    read(line) {
      if (line.fingerprint === undefined || !isCurrent(line)) return describe(line);
      return { payload: decodeLineAt(line, line.rawLine), fingerprint: line.fingerprint };
    },
    describe,
    version: currentVersion,
    currentValues: (stored) =>
      typeof stored === 'object' && stored.version === currentVersion ? stored.values : undefined,
    withCurrentFingerprint(line) {
      if (line.fingerprint === undefined || isCurrent(line)) return line;
      const { partition, line: number, offset, bytes, rawLine } = line;
      return { partition, line: number, offset, bytes, rawLine, fingerprint: undefined };
    },
  };
}
