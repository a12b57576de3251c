import { getRandomValues } from 'node:crypto';
import type { FingerprintValue, IssueId } from '../../../event/ids.js';
import type { IssueState } from './issue-state.js';

/** Key of an issue: the number of its service, then its fingerprint as four numbers. */
const KEY_PARTS = 5;
const FINGERPRINT_PART_CHARACTERS = 8;
const FIRST_ISSUES = 1024;

/**
 * All issues, by ordinal, by id, and by app, service and fingerprint, which every event looks up. Fingerprints are compared as numbers in
 * one array: as map keys, their strings would take longer to load and fill the heap.
 */
export class IssueTable {
  readonly #inOrder: IssueState[] = [];
  /** Issues before `#idsEnd`, filled when a reader first looks up an id. */
  readonly #byId = new Map<IssueId, IssueState>();
  #idsEnd = 0;
  /** By app, then service. */
  readonly #services = new Map<string, Map<string, number>>();
  #serviceCount = 0;
  /** By ordinal, `KEY_PARTS` each. */
  #keys = new Int32Array(FIRST_ISSUES * KEY_PARTS);
  /** An open-addressing hash table: ordinal plus one, 0 if free. At most half full. */
  #slots = new Int32Array(FIRST_ISSUES * 2);
  /** Random, so that senders cannot choose colliding fingerprints. Odd, because an even factor loses bits. */
  readonly #factors = getRandomValues(new Int32Array(KEY_PARTS)).map((factor) => factor | 1);
  /** Reused for every lookup. */
  readonly #key = new Int32Array(KEY_PARTS);

  /** By ordinal; it may grow during an iteration. */
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

  /** Adds an issue, whose ordinal must be the number of issues before it. */
  add(issue: IssueState): void {
    const ordinal = this.#inOrder.push(issue) - 1;
    if (this.#inOrder.length * 2 > this.#slots.length) this.#grow();
    writeFingerprint(this.#key, issue.fingerprint);
    this.#key[0] = this.#numberOfService(issue.app, issue.service);
    this.#keys.set(this.#key, ordinal * KEY_PARTS);
    this.#slots[this.#slotOf(this.#key, 0)] = ordinal + 1;
  }

  /** Issues with the same fingerprint in other apps and services, at most `limit`. */
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

  /** The slot of a key, or the free one where it belongs. */
  #slotOf(keys: Int32Array, at: number): number {
    const mask = this.#slots.length - 1;
    let mixed = 0;
    for (let part = 0; part < KEY_PARTS; part += 1) {
      mixed = (mixed + Math.imul(keys[at + part] ?? 0, this.#factors[part] ?? 0)) | 0;
    }
    for (let slot = (mixed ^ (mixed >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const entry = this.#slots[slot] ?? 0;
      if (entry === 0 || this.#isSame(keys, at, (entry - 1) * KEY_PARTS)) return slot;
    }
  }

  #isSame(keys: Int32Array, at: number, start: number): boolean {
    for (let part = KEY_PARTS - 1; part >= 0; part -= 1) {
      if (keys[at + part] !== this.#keys[start + part]) return false;
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

/** The low four bits of the code are the value of 0 to 9, and that of a to f less nine. */
function hexDigit(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 0x40 ? code & 0xf : (code & 0xf) + 9;
}
