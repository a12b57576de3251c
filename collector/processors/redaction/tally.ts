import type { SecretKind } from './finding.js';

/** How many of the places where something was masked an event lists. */
const MAX_LISTED = 64;

/** Units of texts and keys after which others should have a turn: with dear texts they take some milliseconds. */
const PAUSE_AFTER = 8 * 1024;
/** What a member costs besides the units of its text. */
const MEMBER_UNITS = 32;

/** What was taken out of one event, and how long it was looked at. */
export class Tally {
  readonly byKind = new Map<SecretKind, number>();
  /** Places in the order in which they were found, as `extra.request.headers`. */
  readonly maskedKeys = new Set<string>();
  readonly removedKeys = new Set<string>();
  masked = 0;
  removed = 0;
  #sincePause = 0;

  /** Whether nothing was taken out. */
  get isEmpty(): boolean {
    return this.masked === 0 && this.removed === 0;
  }

  /** Counts the time until a pause anew. */
  rest(): void {
    this.#sincePause = 0;
  }

  /** Says that a member with so many units was looked at; answers whether others should have a turn now. */
  isPauseDue(units: number): boolean {
    this.#sincePause += MEMBER_UNITS + units;
    if (this.#sincePause < PAUSE_AFTER) return false;
    this.#sincePause = 0;
    return true;
  }

  countMasked(kind: SecretKind): void {
    this.byKind.set(kind, (this.byKind.get(kind) ?? 0) + 1);
    this.masked += 1;
  }

  listMasked(place: string): void {
    if (this.maskedKeys.size < MAX_LISTED) this.maskedKeys.add(place);
  }

  /** Adds what was masked in a key. */
  addKey(ofKey: Tally, place: string): void {
    for (const [kind, count] of ofKey.byKind) this.byKind.set(kind, (this.byKind.get(kind) ?? 0) + count);
    this.masked += ofKey.masked;
    this.listMasked(place);
  }

  countRemoved(place: string): void {
    this.removed += 1;
    if (this.removedKeys.size < MAX_LISTED) this.removedKeys.add(place);
  }
}
