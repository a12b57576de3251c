/** Keeps one copy of each text that many issues share. It grows with what the issues keep and never shrinks. */
export class StringPool {
  readonly #kept = new Map<string, string>();

  /** The kept copy of a text. */
  share(text: string): string {
    const known = this.#kept.get(text);
    if (known !== undefined) return known;
    const copy = ownCopy(text);
    this.#kept.set(copy, copy);
    return copy;
  }
}

/** The same text in memory of its own: V8 keeps the whole stack trace alive for a function name that was cut out of it. */
export function ownCopy<Text extends string>(text: Text): Text {
  return JSON.parse(JSON.stringify(text));
}
