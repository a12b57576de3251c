/** A binary heap: `pop` gives the item before which no other comes. */
export class MinHeap<T> {
  readonly #isBefore: (a: T, b: T) => boolean;
  readonly #items: T[] = [];

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    let at = this.#items.length;
    this.#items.push(item);
    for (let parent = (at - 1) >> 1; at > 0; parent = (at - 1) >> 1) {
      const above = this.#items[parent];
      if (above === undefined || !this.#isBefore(item, above)) break;
      this.#items[at] = above;
      at = parent;
    }
    this.#items[at] = item;
  }

  pop(): T | undefined {
    const first = this.#items[0];
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) this.#sink(last);
    return first;
  }

  /** Puts an item in place of the first. */
  #sink(item: T): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      let below = this.#items[child];
      const right = this.#items[child + 1];
      if (below !== undefined && right !== undefined && this.#isBefore(right, below)) {
        child += 1;
        below = right;
      }
      if (below === undefined || !this.#isBefore(below, item)) break;
      this.#items[at] = below;
      at = child;
    }
    this.#items[at] = item;
  }
}
