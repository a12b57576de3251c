import type { SecretKind } from './detectors/finding.js';

/** How many of the places where something was masked an event lists. */
const MAX_LISTED = 64;

/** Units of texts and keys after which others should have a turn: with dear texts they take some milliseconds. */
const PAUSE_AFTER = 8 * 1024;
/** What a member costs besides the units of its text. */
const MEMBER_UNITS = 32;

/** What was taken out of one event, and how long it was looked at. */
export class Tally {
  readonly byKind = new Map<SecretKind, number>();
  /** Places in the order in which they were found, as `extra.request.headers`; empty unless they are listed. */
  readonly maskedKeys = new Set<string>();
  readonly removedKeys = new Set<string>();
  masked = 0;
  removed = 0;
  readonly #listsPlaces: boolean;
  #sincePause = 0;

  /** Places are listed only for a summary that tells them. */
  constructor(listsPlaces = false) {
    this.#listsPlaces = listsPlaces;
  }

  /** Forgets all, for the next event: to build a tally for each costs more than to look at a short text. */
  clear(): void {
    this.#sincePause = 0;
    if (this.masked === 0 && this.removed === 0) return;
    this.byKind.clear();
    this.maskedKeys.clear();
    this.removedKeys.clear();
    this.masked = 0;
    this.removed = 0;
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

  /** Lists a member whose value was masked by the path of what it is in. */
  listMasked(above: string, name: string): void {
    if (this.#listsPlaces && this.maskedKeys.size < MAX_LISTED) this.maskedKeys.add(pathBelow(above, name));
  }

  /** Adds what was masked in a key. */
  addKey(ofKey: Tally, above: string, name: string): void {
    for (const [kind, count] of ofKey.byKind) this.byKind.set(kind, (this.byKind.get(kind) ?? 0) + count);
    this.masked += ofKey.masked;
    this.listMasked(above, name);
  }

  countRemoved(above: string, name: string): void {
    this.removed += 1;
    if (this.#listsPlaces && this.removedKeys.size < MAX_LISTED) this.removedKeys.add(pathBelow(above, name));
  }
}

/** Longest path that is told. */
const MAX_PATH_LENGTH = 200;

/** The path of a member, as `extra.request`; of very deep ones that of something above. */
export function pathBelow(above: string, name: string): string {
  if (above === '') return name;
  return above.length > MAX_PATH_LENGTH ? above : `${above}.${name.slice(0, MAX_PATH_LENGTH)}`;
}
