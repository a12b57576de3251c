import type { Partition } from '../partitions/partition-path.js';
import { type CommitFingerprints, fingerprintAt, type StoredFingerprint } from './commit-record.js';
import type { ReplayedLine } from './replayed-commit.js';

/** What the lines of a commit share. */
interface LinesOfCommit {
  readonly partition: Partition;
  readonly line: number;
  readonly offset: number;
  readonly bytes: Buffer;
  readonly fingerprints: CommitFingerprints | undefined;
}

/** A line that is cut out of its commit when somebody looks at it: many wait for their turn in a replay, and a buffer of its own weighs most of each. */
export class CommitLine implements ReplayedLine {
  readonly partition: Partition;
  readonly line: number;
  readonly offset: number;
  readonly bytes: number;
  readonly #commit: LinesOfCommit;
  readonly #place: number;

  constructor(commit: LinesOfCommit, place: number, start: number, bytes: number) {
    this.partition = commit.partition;
    this.line = commit.line + place;
    this.offset = commit.offset + start;
    this.bytes = bytes;
    this.#commit = commit;
    this.#place = place;
  }

  get rawLine(): Buffer {
    const { bytes, offset } = this.#commit;
    const start = this.offset - offset;
    return bytes.subarray(start, start + this.bytes);
  }

  get fingerprint(): StoredFingerprint | undefined {
    const { fingerprints } = this.#commit;
    return fingerprints && fingerprintAt(fingerprints, this.#place);
  }
}
