import { getRandomValues } from 'node:crypto';
import type { FingerprintValue, IssueId } from '../../../event/ids.js';
import type { IssueState } from './issue-state.js';

/** Numbers that tell an issue: that of its service, then its fingerprint. */
const KEY_PARTS = 5;
const FINGERPRINT_PART_CHARACTERS = 8;
const FIRST_ISSUES = 1024;

/**
 * All issues, by the order of first arrival, by id, and by what tells them apart. The last is asked for every event. A fingerprint is compared as four
 * numbers in one array: as keys of a map, the texts of 100,000 loaded issues took twice as long, and lay on the heap.
 */
export class IssueTable {
  readonly #inOrder: IssueState[] = [];
  /** Of the issues before `#idsEnd`: ids are asked for by readers only, and loading does not wait for this. */
  readonly #byId = new Map<IssueId, IssueState>();
  #idsEnd = 0;
  /** Number of each app's services. */
  readonly #services = new Map<string, Map<string, number>>();
  #serviceCount = 0;
  /** By ordinal, `KEY_PARTS` of each. */
  #keys = new Int32Array(FIRST_ISSUES * KEY_PARTS);
  /** Ordinal plus one, 0 where free; the first free slot after where a key belongs ends the search. At most half of them are taken. */
  #slots = new Int32Array(FIRST_ISSUES * 2);
  /** Nobody can choose fingerprints that all belong into the same slots. Odd, because an even one loses bits. */
  readonly #factors = getRandomValues(new Int32Array(KEY_PARTS)).map((factor) => factor | 1);
  /** What is looked for. */
  readonly #key = new Int32Array(KEY_PARTS);

  /** By ordinal; it grows while it is looked at. */
  get inOrder(): readonly IssueState[] {
    return this.#inOrder;
  }

  get(id: IssueId): IssueState | undefined {
    for (; this.#idsEnd < this.#inOrder.length; this.#idsEnd += 1) {
      const issue = this.#inOrder[this.#idsEnd];
      if (issue !== undefined) this.#byId.set(issue.issueId, issue);
    }
    return this.#byId.get(id);
  }

  find(app: string, service: string, fingerprint: FingerprintValue): IssueState | undefined {
    const number = this.#services.get(app)?.get(service);
    if (number === undefined) return undefined;
    writeFingerprint(this.#key, fingerprint);
    return this.#inService(number);
  }

  /** Takes a new issue, whose ordinal must be the number of those before it. */
  add(issue: IssueState): void {
    const ordinal = this.#inOrder.push(issue) - 1;
    if (this.#inOrder.length * 2 > this.#slots.length) this.#grow();
    writeFingerprint(this.#key, issue.fingerprint);
    this.#key[0] = this.#numberOfService(issue.app, issue.service);
    this.#keys.set(this.#key, ordinal * KEY_PARTS);
    this.#slots[this.#slotOf(this.#key, 0)] = ordinal + 1;
  }

  /** Issues of other apps and services with the same fingerprint, at most `limit`. */
  related(issue: IssueState, limit: number): IssueState[] {
    const related: IssueState[] = [];
    writeFingerprint(this.#key, issue.fingerprint);
    for (const ofApp of this.#services.values()) {
      for (const number of ofApp.values()) {
        const found = this.#inService(number);
        if (found !== undefined && found !== issue) related.push(found);
        if (related.length === limit) return related;
      }
    }
    return related;
  }

  /** The issue of that service with the fingerprint that is looked for. */
  #inService(number: number): IssueState | undefined {
    this.#key[0] = number;
    const ordinal = (this.#slots[this.#slotOf(this.#key, 0)] ?? 0) - 1;
    return ordinal < 0 ? undefined : this.#inOrder[ordinal];
  }

  #numberOfService(app: string, service: string): number {
    const ofApp = this.#services.get(app) ?? new Map<string, number>();
    const known = ofApp.get(service);
    if (known !== undefined) return known;
    const number = this.#serviceCount;
    this.#serviceCount += 1;
    this.#services.set(app, ofApp.set(service, number));
    return number;
  }

  /** The slot that holds a key, or the free one where it belongs. */
  #slotOf(keys: Int32Array, at: number): number {
    const mask = this.#slots.length - 1;
    let mixed = 0;
    for (let part = 0; part < KEY_PARTS; part += 1) {
      mixed = (mixed + Math.imul(keys[at + part] ?? 0, this.#factors[part] ?? 0)) | 0;
    }
    for (let slot = (mixed ^ (mixed >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const taken = this.#slots[slot] ?? 0;
      if (taken === 0 || this.#isSame(keys, at, (taken - 1) * KEY_PARTS)) return slot;
    }
  }

  #isSame(keys: Int32Array, at: number, place: number): boolean {
    for (let part = KEY_PARTS - 1; part >= 0; part -= 1) {
      if (keys[at + part] !== this.#keys[place + part]) return false;
    }
    return true;
  }

  #grow(): void {
    const keys = new Int32Array(this.#slots.length * KEY_PARTS);
    keys.set(this.#keys);
    this.#keys = keys;
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let ordinal = 0; ordinal < this.#inOrder.length - 1; ordinal += 1) {
      this.#slots[this.#slotOf(keys, ordinal * KEY_PARTS)] = ordinal + 1;
    }
  }
}

/** Writes a fingerprint as the last four numbers of a key. */
function writeFingerprint(key: Int32Array, fingerprint: string): void {
  let at = 0;
  for (let part = 1; part < KEY_PARTS; part += 1) {
    let bits = 0;
    for (const end = at + FINGERPRINT_PART_CHARACTERS; at < end; at += 1)
      bits = (bits << 4) | hexDigit(fingerprint, at);
    key[part] = bits;
  }
}

/** Of 0 to 9 the code ends in their value; a to f follow 9 when nine is added to theirs. */
function hexDigit(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 0x40 ? code & 0xf : (code & 0xf) + 9;
}
