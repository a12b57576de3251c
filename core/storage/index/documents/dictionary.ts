/** Assigns numbers to the texts of one document, so that columns hold small numbers. */
export class Dictionary {
  readonly #codes = new Map<string, number>();

  /** Adds a new text. */
  codeOf(text: string): number {
    const known = this.#codes.get(text);
    if (known !== undefined) return known;
    const code = this.#codes.size;
    this.#codes.set(text, code);
    return code;
  }

  /** By code. */
  texts(): string[] {
    return [...this.#codes.keys()];
  }
}
