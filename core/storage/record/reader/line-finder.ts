import type { ReadableFile } from '../../files/store-files.js';
import { type CommitRecord, canBeRead, checksumOf, commitDamaged, lineStarts } from '../commits/commit-record.js';
import { findCommitOfLine } from '../commits/commit-search.js';
import { COMMITS_FILE, type Partition, RAW_FILE } from '../partitions/partition-path.js';

interface KnownCommit {
  readonly folder: string;
  readonly record: CommitRecord;
  /** Result of `lineStarts`, once the bytes were read and checked. */
  starts: Uint32Array | undefined;
}

const MAX_KNOWN = 64;

/** Finds lines by number. It caches the last commits, so that other lines of them need one read. */
export class LineFinder {
  readonly #file: (partition: Partition, name: string) => ReadableFile;
  /** Least recently used first. */
  #known: KnownCommit[] = [];

  constructor(file: (partition: Partition, name: string) => ReadableFile) {
    this.#file = file;
  }

  async commitOf(partition: Partition, line: number): Promise<CommitRecord | undefined> {
    return (await this.#find(partition, line))?.record;
  }

  /** Returns the line without its newline, checked against the checksum of its commit. Rejects with Fault `RECORD_DAMAGED`. */
  async readLine(partition: Partition, line: number): Promise<Buffer | undefined> {
    const commit = await this.#find(partition, line);
    if (commit === undefined) return undefined;
    const { record } = commit;
    if (!canBeRead(record)) throw commitDamaged(partition, record, 'would have more bytes than a commit can hold');
    const raw = this.#file(partition, RAW_FILE);
    if (commit.starts !== undefined) {
      const [start, length] = spanOf(commit.starts, line - record.line);
      const found = await raw.read(record.offset + start, length);
      return found.length === length ? found : undefined;
    }
    const bytes = await raw.read(record.offset, record.bytes);
    if (bytes.length === 0) return undefined;
    commit.starts = checkedStarts(partition, record, bytes);
    const [start, length] = spanOf(commit.starts, line - record.line);
    // A copy: a slice would retain the whole commit.
    return Buffer.from(bytes.subarray(start, start + length));
  }

  async #find(partition: Partition, line: number): Promise<KnownCommit | undefined> {
    const holds = ({ folder, record }: KnownCommit): boolean =>
      folder === partition.folder && record.line <= line && line < record.line + record.lines;
    let commit = this.#known.find(holds);
    if (commit === undefined) {
      const record = await findCommitOfLine(this.#file(partition, COMMITS_FILE), line);
      if (record === undefined) return undefined;
      // Without the fingerprints, which are large and not needed here.
      commit = { folder: partition.folder, record: { ...record, fingerprints: undefined }, starts: undefined };
    }
    this.#known = [...this.#known.filter((other) => other !== commit), commit].slice(-MAX_KNOWN);
    return commit;
  }
}

function checkedStarts(partition: Partition, record: CommitRecord, bytes: Buffer): Uint32Array {
  if (bytes.length < record.bytes) throw commitDamaged(partition, record, 'are cut off');
  const starts = checksumOf(bytes) === record.crc32c ? lineStarts(bytes, record.lines) : undefined;
  if (starts === undefined) throw commitDamaged(partition, record, 'do not match their checksum');
  return starts;
}

/** Start and length of a line without its newline. */
function spanOf(starts: Uint32Array, index: number): [start: number, length: number] {
  const start = starts[index] ?? 0;
  return [start, (starts[index + 1] ?? 0) - start - 1];
}
