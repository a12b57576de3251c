import type { DocumentFields } from '../documents/document-fields.js';

/**
 * The distinct users of an issue: the smallest numbers that their ids hash to, ascending, at most `MAX_USERS` of them. So it says the same whatever the
 * order of events is and however often one comes, and sketches of several issues can be joined.
 */
export type UserSketch = readonly number[];

/** Users up to which a sketch names all of them; beyond it the count is an estimate. */
export const MAX_USERS = 128;

/** What stands for the user of an event without one. */
export const NO_USER = 0;

/** The sketch of an issue without users. */
export const NO_USERS: UserSketch = Object.freeze([]);

const HASHES = 2 ** 32;
const HALF = 2 ** 31;

/**
 * What a sketch knows of a user: 32 bits with a sign, `NO_USER` for null. The same in every process and version, since it is stored. Among 128 users, one
 * time in 500,000 two of them are taken for one.
 */
export function userHash(userId: string | null): number {
  if (userId === null) return NO_USER;
  // MurmurHash3 (Austin Appleby, public domain) over UTF-16 units.
  let hash = 0;
  for (let place = 0; place < userId.length; place += 1) {
    const mixed = Math.imul(userId.charCodeAt(place), 0xcc9e2d51);
    hash ^= Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  hash ^= userId.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  hash ^= hash >>> 16;
  return hash === NO_USER ? 1 : hash;
}

/** With one more user, by its hash; answers the list to keep, which is the one given where it says nothing new. */
export function addUser(sketch: UserSketch, hash: number): UserSketch {
  if (hash === NO_USER) return sketch;
  const isFull = sketch.length === MAX_USERS;
  if (isFull && hash >= (sketch[MAX_USERS - 1] ?? 0)) return sketch;
  const place = placeOf(sketch, hash);
  if (sketch[place] === hash) return sketch;
  // As long as it is: a push would reserve room for sixteen more numbers in each of very many issues.
  return sketch.slice(0, place).concat(hash, sketch.slice(place, isFull ? -1 : undefined));
}

/** The users of both. */
export function joinUsers(left: UserSketch, right: UserSketch): UserSketch {
  if (left.length === 0) return right;
  return right.reduce(addUser, left);
}

/**
 * How many users these are: exact below 128, then an estimate from how close together the hashes lie, (k - 1) / (the largest as a share of all), whose standard
 * error is 1 / sqrt(k - 2), 8.9 %.
 */
export function countUsers(sketch: UserSketch): number {
  if (sketch.length < MAX_USERS) return sketch.length;
  const share = ((sketch[MAX_USERS - 1] ?? 0) + HALF + 1) / HASHES;
  return Math.max(MAX_USERS, Math.round((MAX_USERS - 1) / share));
}

/** Whether numbers that were read can be a sketch. */
export function isUserSketch(numbers: readonly number[]): numbers is UserSketch {
  const follow = (number: number, place: number) =>
    (number | 0) === number && number > (numbers[place - 1] ?? -HALF - 1);
  return numbers.length <= MAX_USERS && numbers.every(follow);
}

/** Where a hash stands, or belongs. */
function placeOf(sketch: UserSketch, hash: number): number {
  let first = 0;
  let end = sketch.length;
  while (first < end) {
    const middle = (first + end) >>> 1;
    if ((sketch[middle] ?? 0) < hash) first = middle + 1;
    else end = middle;
  }
  return first;
}

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
