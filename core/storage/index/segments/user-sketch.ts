import { firstNotBefore } from '../../../binary-search.js';
import type { DocumentFields } from '../documents/document-fields.js';

/** Distinct users: the `MAX_USERS` smallest hashes of their ids, ascending, whatever the order or repetition of events. */
export type UserSketch = readonly number[];

/** A sketch is exact up to this number of users, and an estimate beyond. */
export const MAX_USERS = 128;

/** Hash of an event without a user. */
export const NO_USER = 0;

export const NO_USERS: UserSketch = Object.freeze([]);

const HASHES = 2 ** 32;
const HALF = 2 ** 31;

/** Hash of a user id: 32 bits, signed; `NO_USER` for null. Stored, so it must never change. */
export function userHash(userId: string | null): number {
  if (userId === null) return NO_USER;
  // MurmurHash3 (Austin Appleby, public domain) over UTF-16 units.
  let hash = 0;
  for (let index = 0; index < userId.length; index += 1) {
    const mixed = Math.imul(userId.charCodeAt(index), 0xcc9e2d51);
    hash ^= Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  hash ^= userId.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  hash ^= hash >>> 16;
  return hash === NO_USER ? 1 : hash;
}

/** Adds a user by hash; returns the given list if nothing changes. */
export function addUser(sketch: UserSketch, hash: number): UserSketch {
  if (hash === NO_USER) return sketch;
  const isFull = sketch.length === MAX_USERS;
  if (isFull && hash >= (sketch[MAX_USERS - 1] ?? 0)) return sketch;
  const index = firstNotBefore(sketch.length, (other) => (sketch[other] ?? 0) < hash);
  if (sketch[index] === hash) return sketch;
  // Exact size: a push over-allocates, in each of very many issues.
  return sketch.slice(0, index).concat(hash, sketch.slice(index, isFull ? -1 : undefined));
}

export function joinUsers(left: UserSketch, right: UserSketch): UserSketch {
  if (left.length === 0) return right;
  return right.reduce(addUser, left);
}

/** Exact below 128, else the estimate (k - 1) / (largest hash as a share of all); standard error 1 / sqrt(k - 2) = 8.9 %. */
export function countUsers(sketch: UserSketch): number {
  if (sketch.length < MAX_USERS) return sketch.length;
  const share = ((sketch[MAX_USERS - 1] ?? 0) + HALF + 1) / HASHES;
  return Math.max(MAX_USERS, Math.round((MAX_USERS - 1) / share));
}

/** Whether stored numbers form a sketch. */
export function isUserSketch(numbers: readonly number[]): numbers is UserSketch {
  const follow = (number: number, index: number) =>
    (number | 0) === number && number > (numbers[index - 1] ?? -HALF - 1);
  return numbers.length <= MAX_USERS && numbers.every(follow);
}

/** Encodes sketches as two columns: the number of hashes of each, and all hashes. */
export function encodeUsers(sketches: readonly UserSketch[]): { user_counts: number[]; users: number[] } {
  return { user_counts: sketches.map(({ length }) => length), users: sketches.flat() };
}

/** Decodes `encodeUsers` into `count` sketches. Throws `INDEX_UNUSABLE`. */
export function decodeUsers(fields: DocumentFields, count: number): UserSketch[] {
  const counts = fields.integers('user_counts', count);
  const hashes = fields.integers('users');
  let end = 0;
  const sketches = counts.map((length) => {
    const first = end;
    end += length;
    if (length === 0) return NO_USERS;
    const sketch = hashes.slice(first, end);
    if (sketch.length !== length || !isUserSketch(sketch)) throw fields.unusable('users');
    return sketch;
  });
  if (end !== hashes.length) throw fields.unusable('users');
  return sketches;
}
