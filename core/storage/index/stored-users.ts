import type { DocumentFields } from './document-fields.js';
import { countUsers, MAX_USERS, type UserSketch } from './user-sketch.js';

const HASH_BYTES = 4;

/** What an issue keeps of its users. */
interface IssueUsers {
  /** Those that were stored stay as they lie in the document until one more comes. */
  readonly users: UserSketch | StoredUsers;
  readonly ordinal: number;
}

/** How many events an issue has and had, and how many of each were not stored. */
interface EventCounts {
  readonly count: number;
  readonly sampled: number;
  readonly removed: number;
  readonly removedSampled: number;
}

/** The users of issues that share a document, as they were stored: a list for each would be most of what a loaded issue takes. */
export class StoredUsers {
  readonly #hashes: Int32Array;
  /** By issue, where its hashes end. */
  readonly #ends: Uint32Array;
  readonly #firstOrdinal: number;

  constructor(hashes: Int32Array, ends: Uint32Array, firstOrdinal: number) {
    this.#hashes = hashes;
    this.#ends = ends;
    this.#firstOrdinal = firstOrdinal;
  }

  of(ordinal: number): UserSketch {
    const place = ordinal - this.#firstOrdinal;
    return Array.from(this.#hashes.subarray(this.#ends[place - 1] ?? 0, this.#ends[place]));
  }
}

/** The users of an issue. */
export function usersOf({ users, ordinal }: IssueUsers): UserSketch {
  return users instanceof StoredUsers ? users.of(ordinal) : users;
}

/** How many they are, as `countUsers` says, and never more than the issue had events that were stored: ids may be chosen so that they seem to be many. */
export function distinctUsers(issue: IssueUsers & EventCounts): number {
  const stored = issue.count - issue.sampled + issue.removed - issue.removedSampled;
  return Math.min(countUsers(usersOf(issue)), stored);
}

/** Sketches as columns: how many hashes each has, and all hashes as little-endian bytes in base64, which takes half of what digits take. */
export function encodeUsers(sketches: readonly UserSketch[]): { user_counts: number[]; users: string } {
  const hashes = sketches.flat();
  const bytes = Buffer.alloc(hashes.length * HASH_BYTES);
  for (const [place, hash] of hashes.entries()) bytes.writeInt32LE(hash, place * HASH_BYTES);
  return { user_counts: sketches.map(({ length }) => length), users: bytes.toString('base64') };
}

/** What `encodeUsers` made of so many issues; undefined where none of them has users. Throws `INDEX_UNUSABLE`. */
export function decodeUsers(fields: DocumentFields, issues: number, firstOrdinal: number): StoredUsers | undefined {
  const counts = fields.integers('user_counts', issues);
  const bytes = Buffer.from(fields.text('users'), 'base64');
  if (bytes.length !== counts.reduce((sum, count) => sum + count, 0) * HASH_BYTES) throw fields.unusable('users');
  if (bytes.length === 0) return undefined;
  const hashes = new Int32Array(bytes.length / HASH_BYTES);
  const ends = new Uint32Array(issues);
  let end = 0;
  counts.forEach((count, issue) => {
    if (count < 0 || count > MAX_USERS) throw fields.unusable('user_counts');
    for (const first = end; end < first + count; end += 1) {
      const hash = bytes.readInt32LE(end * HASH_BYTES);
      if (end > first && hash <= (hashes[end - 1] ?? 0)) throw fields.unusable('users');
      hashes[end] = hash;
    }
    ends[issue] = end;
  });
  return new StoredUsers(hashes, ends, firstOrdinal);
}
