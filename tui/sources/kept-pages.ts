const MAX_PAGES = 64;

/** Pages of events, which never change, so that those which were listed in part are not searched again. The oldest ones go first. */
export class KeptPages<Page> {
  readonly #pages = new Map<string, Page>();

  get(key: string): Page | undefined {
    return this.#pages.get(key);
  }

  keep(key: string, page: Page): void {
    this.#pages.delete(key);
    this.#pages.set(key, page);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= MAX_PAGES) return;
      this.#pages.delete(oldest);
    }
  }
}
