/** Numbers the texts of one document, so that a column holds small numbers where texts repeat. */
export class Dictionary {
  readonly #places = new Map<string, number>();

  /** The number of a text, a new one for a new text. */
  place(text: string): number {
    const known = this.#places.get(text);
    if (known !== undefined) return known;
    const place = this.#places.size;
    this.#places.set(text, place);
    return place;
  }

  /** The texts by number. */
  texts(): string[] {
    return [...this.#places.keys()];
  }
}
