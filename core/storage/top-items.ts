/** The first items of an order out of very many, without sorting them all: time grows with what is offered, memory with what is kept. */
export class TopItems<Item> {
  readonly #size: number;
  readonly #compare: (left: Item, right: Item) => number;
  #items: Item[] = [];
  #last: Item | undefined;

  constructor(size: number, compare: (left: Item, right: Item) => number) {
    this.#size = size;
    this.#compare = compare;
  }

  /** The last item of a full selection: what comes behind it need not be offered. Undefined while everything counts. */
  get last(): Item | undefined {
    return this.#last;
  }

  offer(item: Item): void {
    if (this.#last !== undefined && this.#compare(item, this.#last) >= 0) return;
    this.#items.push(item);
    if (this.#items.length >= 2 * this.#size) this.#trim();
  }

  /** What was offered first in order, at most `size`. */
  items(): Item[] {
    this.#trim();
    return this.#items;
  }

  #trim(): void {
    this.#items = this.#items.sort(this.#compare).slice(0, this.#size);
    if (this.#items.length === this.#size) this.#last = this.#items.at(-1);
  }
}
