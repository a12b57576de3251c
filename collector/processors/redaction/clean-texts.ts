/** Units of all texts together, two bytes each at most. */
const MAX_UNITS = 2 * 1024 * 1024;
/** What a shorter text costs to look at is not worth a place. */
const MIN_LENGTH = 48;
const MAX_LENGTH = 32 * 1024;
const PLACES = 8_192;
/** Prints of texts that were seen once: many more than places, because most texts never come again. */
const PRINTS = 16_384;
const NO_PRINT = 0;
/** Other texts that must want the slot before an entry that did not recur is evicted. */
const PATIENCE = 3;

/**
 * Caches texts without secrets, so that recurring texts such as stacks are not scanned again. A text is cached when it recurs; recurring
 * texts survive a flood of unique ones. Stores copies, because a slice would keep the whole text alive. At most 2 Mi units.
 */
export class CleanTexts {
  readonly #texts: string[] = new Array(PLACES).fill('');
  readonly #patience = new Uint8Array(PLACES);
  readonly #seen = new Uint32Array(PRINTS);
  #units = 0;

  /** Units of all texts that are remembered. */
  get units(): number {
    return this.#units;
  }

  /** Whether it is remembered; `print` is its print. */
  has(text: string, print: number): boolean {
    const place = print % PLACES;
    if (print === NO_PRINT || this.#texts[place] !== text) return false;
    this.#patience[place] = PATIENCE;
    return true;
  }

  /** Adds a text without secrets that is not cached. */
  addClean(text: string, print: number): void {
    if (print === NO_PRINT) return;
    if (this.#seen[print % PRINTS] !== print) {
      this.#seen[print % PRINTS] = print;
      return;
    }
    const place = print % PLACES;
    const patience = this.#patience[place] ?? 0;
    if (patience > 0) this.#patience[place] = patience - 1;
    else this.#put(text, place);
  }

  #put(text: string, place: number): void {
    const copy = Buffer.from(text).toString();
    // Half a character is another one as UTF-8.
    if (copy !== text) return;
    if (this.#units + text.length > MAX_UNITS) this.#clear();
    this.#units += text.length - (this.#texts[place]?.length ?? 0);
    this.#texts[place] = copy;
    this.#patience[place] = PATIENCE;
  }

  #clear(): void {
    this.#texts.fill('');
    this.#patience.fill(0);
    this.#units = 0;
  }
}

const WORDS = new Uint32Array(MAX_LENGTH / 4);
const BYTES = Buffer.from(WORDS.buffer);

/**
 * A number that different texts seldom share; 0 of those that are never remembered. Made of the low bytes of all units: to read four of them at once costs
 * a tenth of a look at the text.
 */
export function hashOf(text: string): number {
  const { length } = text;
  if (length < MIN_LENGTH || length > MAX_LENGTH) return NO_PRINT;
  // What another text left behind the last unit.
  WORDS[length >> 2] = 0;
  BYTES.write(text, 'latin1');
  let print = length;
  for (let at = 0; at * 4 < length; at += 1) {
    print = Math.imul(print ^ (WORDS[at] ?? 0), 0x9e3779b1);
    print ^= print >>> 15;
  }
  return print >>> 0;
}
