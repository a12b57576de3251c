import { ownCopy } from '../../own-copy.js';

/** Keeps one copy of each text that many issues share. It grows with what the issues keep and never shrinks. */
export class StringPool {
  readonly #kept = new Map<string, string>();

  /** The kept copy of a text, if there is one: comparing it with itself costs nothing. */
  kept(text: string): string | undefined {
    return this.#kept.get(text);
  }

  /** The kept copy of a text. */
  share(text: string): string {
    const known = this.#kept.get(text);
    if (known !== undefined) return known;
    const copy = ownCopy(text);
    this.#kept.set(copy, copy);
    return copy;
  }
}
