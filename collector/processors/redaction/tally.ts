import { cutText } from '../../../core/event/text.js';
import type { SecretKind } from './detectors/finding.js';

/** Paths that an event lists. */
const MAX_LISTED = 64;

/** UTF-16 units of texts and keys that are scanned between two pauses. */
const PAUSE_AFTER = 8 * 1024;
/** Cost of a member besides its text, in the same units. */
const MEMBER_UNITS = 32;

/** Counts what was masked in and removed from one event, and the work since the last pause. */
export class Tally {
  readonly byKind = new Map<SecretKind, number>();
  /** Paths such as `extra.request.headers`, in the order of the findings; empty if paths are not listed. */
  readonly maskedKeys = new Set<string>();
  readonly removedKeys = new Set<string>();
  masked = 0;
  removed = 0;
  readonly #listsPaths: boolean;
  #sincePause = 0;

  constructor(listsPaths = false) {
    this.#listsPaths = listsPaths;
  }

  /** Resets the tally for the next event, because building one costs more than scanning a short text. */
  clear(): void {
    this.#sincePause = 0;
    if (this.masked === 0 && this.removed === 0) return;
    this.byKind.clear();
    this.maskedKeys.clear();
    this.removedKeys.clear();
    this.masked = 0;
    this.removed = 0;
  }

  /** Adds work that cannot pause, in the same units as `isPauseDue`. */
  addWork(units: number): void {
    this.#sincePause += units;
  }

  /** Adds a scanned member of `units`; returns whether the caller should pause now. */
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

  /** Lists member `name` of the value at path `parentPath`, whose value was masked. */
  listMasked(parentPath: string, name: string): void {
    if (this.#listsPaths && this.maskedKeys.size < MAX_LISTED) this.maskedKeys.add(pathBelow(parentPath, name));
  }

  /** Adds what was masked in a key. */
  addKey(keyTally: Tally, parentPath: string, name: string): void {
    for (const [kind, count] of keyTally.byKind) this.byKind.set(kind, (this.byKind.get(kind) ?? 0) + count);
    this.masked += keyTally.masked;
    this.listMasked(parentPath, name);
  }

  countRemoved(parentPath: string, name: string): void {
    this.removed += 1;
    if (this.#listsPaths && this.removedKeys.size < MAX_LISTED) this.removedKeys.add(pathBelow(parentPath, name));
  }
}

const MAX_PATH_LENGTH = 200;

/** Returns the path of a member, such as `extra.request`; beyond the maximum length that of an ancestor. */
export function pathBelow(parentPath: string, name: string): string {
  if (parentPath === '') return name;
  return parentPath.length > MAX_PATH_LENGTH ? parentPath : `${parentPath}.${cutText(name, MAX_PATH_LENGTH)}`;
}
