/** Texts that one row of a screen must contain or match. */
export type ShownText = string | RegExp;

/** Whether a row contains or matches a text. */
export function showsText(rows: readonly string[], text: ShownText): boolean {
  return rows.some((row) => (typeof text === 'string' ? row.includes(text) : text.test(row)));
}

/**
 * Ties keys to screens, so that no test types too early: keys need a screen that was waited for since the last ones, and
 * what is waited for after keys must not have been visible before them.
 */
export class SeenBeforeTyped {
  #isSeen = false;
  /** The rows when keys were typed, until what they bring has been seen. */
  #before: readonly string[] | undefined;

  /** Call with the rows of the screen before keys are sent. Throws if nothing was seen since the last keys. */
  type(keys: string, rows: readonly string[]): void {
    if (!this.#isSeen) throw new Error(`${JSON.stringify(keys)} was typed before a screen was seen`);
    this.#isSeen = false;
    this.#before = rows;
  }

  /** Call before a wait. Throws if the rows before the keys fulfil it. */
  expectNew(what: string, isFulfilled: (rows: readonly string[]) => boolean): void {
    if (this.#before === undefined || !isFulfilled(this.#before)) return;
    throw new Error(`waiting for ${what} shows nothing: it was so before the keys:\n${this.#before.join('\n')}`);
  }

  /** Call after a wait. */
  seen(): void {
    this.#isSeen = true;
    this.#before = undefined;
  }
}
