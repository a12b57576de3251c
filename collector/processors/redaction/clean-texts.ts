/** UTF-16 units of all texts together. */
const MAX_UNITS = 2 * 1024 * 1024;
/** Scanning a shorter text is cheaper than caching it. */
const MIN_LENGTH = 48;
const MAX_LENGTH = 32 * 1024;
const SLOTS = 8_192;
/** Hashes of texts seen once: more than slots, because most texts never recur. */
const SEEN_HASHES = 16_384;
const NO_HASH = 0;
/** Other texts that must want the slot before an entry that did not recur is evicted. */
const CHANCES = 3;

/** Caches texts without secrets that recur, such as stacks, so that they are not scanned again; copies, because a slice keeps its whole text. */
export class CleanTexts {
  readonly #texts: string[] = new Array(SLOTS).fill('');
  readonly #chances = new Uint8Array(SLOTS);
  readonly #seen = new Uint32Array(SEEN_HASHES);
  /** UTF-16 units of all cached texts. */
  units = 0;

  /** Whether a text is cached; `hash` is its `hashOf`. */
  has(text: string, hash: number): boolean {
    const slot = hash % SLOTS;
    if (hash === NO_HASH || this.#texts[slot] !== text) return false;
    this.#chances[slot] = CHANCES;
    return true;
  }

  /** Adds a text without secrets that is not cached. */
  addClean(text: string, hash: number): void {
    if (hash === NO_HASH) return;
    if (this.#seen[hash % SEEN_HASHES] !== hash) {
      this.#seen[hash % SEEN_HASHES] = hash;
      return;
    }
    const slot = hash % SLOTS;
    const chances = this.#chances[slot] ?? 0;
    if (chances > 0) this.#chances[slot] = chances - 1;
    else this.#store(text, slot);
  }

  #store(text: string, slot: number): void {
    const copy = Buffer.from(text).toString();
    // UTF-8 cannot represent a lone surrogate.
    if (copy !== text) return;
    if (this.units + text.length > MAX_UNITS) this.#clear();
    this.units += text.length - (this.#texts[slot]?.length ?? 0);
    this.#texts[slot] = copy;
    this.#chances[slot] = CHANCES;
  }

  #clear(): void {
    this.#texts.fill('');
    this.#chances.fill(0);
    this.units = 0;
  }
}

const WORDS = new Uint32Array(MAX_LENGTH / 4);
const BYTES = Buffer.from(WORDS.buffer);

/** Returns a 32-bit hash of the low bytes of all units, four at a time; 0 for texts that are never cached. */
export function hashOf(text: string): number {
  const { length } = text;
  if (length < MIN_LENGTH || length > MAX_LENGTH) return NO_HASH;
  // Clears bytes of an earlier text after the last unit.
  WORDS[length >> 2] = 0;
  BYTES.write(text, 'latin1');
  let hash = length;
  for (let at = 0; at * 4 < length; at += 1) {
    hash = Math.imul(hash ^ (WORDS[at] ?? 0), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}
