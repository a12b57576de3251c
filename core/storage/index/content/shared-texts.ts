import { ownCopy } from '../../../event/json.js';

/**
 * The texts that many issues have in common: apps, services, environments, releases. Each is kept once, as a copy, because a text of an
 * event may be a slice that keeps the whole request in memory. It never shrinks.
 */
export class SharedTexts {
  readonly #texts = new Map<string, string>();

  /** Returns the kept copy of a text. */
  share(text: string): string {
    const shared = this.#texts.get(text);
    if (shared !== undefined) return shared;
    const copy = ownCopy(text);
    this.#texts.set(copy, copy);
    return copy;
  }
}
