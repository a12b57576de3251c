interface Entry<Value> {
  readonly value: Value;
  readonly units: number;
}

/** Lookups per entry of a full generation before a new one starts. */
const LOOKUPS_PER_ENTRY = 16;

/**
 * Cache of two generations: when the younger one is full, the older one is dropped. Holds at most twice `maxUnits`, in the caller's unit.
 * A full generation first serves `LOOKUPS_PER_ENTRY`, so that a working set larger than the cache does not evict everything before its reuse.
 */
export class RecentCache<Key extends string | number, Value> {
  readonly #maxUnits: number;
  #young = new Map<Key, Entry<Value>>();
  #old = new Map<Key, Entry<Value>>();
  #units = 0;
  #lookups = 0;

  constructor(maxUnits: number) {
    this.#maxUnits = maxUnits;
  }

  get(key: Key): Value | undefined {
    this.#lookups += 1;
    const young = this.#young.get(key);
    if (young !== undefined) return young.value;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old.value, old.units);
    return old?.value;
  }

  /** `units`: size of key and value. */
  set(key: Key, value: Value, units: number): void {
    if (this.#units >= this.#maxUnits) {
      if (this.#lookups < LOOKUPS_PER_ENTRY * this.#young.size) return;
      this.#old = this.#young;
      this.#young = new Map();
      this.#units = 0;
      this.#lookups = 0;
    }
    this.#units += units - (this.#young.get(key)?.units ?? 0);
    this.#young.set(key, { value, units });
  }
}

interface Known<Value> {
  readonly text: string;
  readonly value: Value;
}

/** UTF-16 units of a text that are hashed. */
const SAMPLES = 64;
/** Texts with equal samples that are stored. */
const MAX_ALIKE = 8;
/** Overhead of an entry, in UTF-16 units. */
const ENTRY_UNITS = 64;

/** Cache by long texts. Hashing a whole stack costs almost as much as parsing it, so it hashes samples and compares texts with equal samples. */
export class LongTextCache<Value> {
  readonly #alike: RecentCache<number, readonly Known<Value>[]>;

  /** Holds at most twice `maxUnits` UTF-16 units. */
  constructor(maxUnits: number) {
    this.#alike = new RecentCache(maxUnits);
  }

  get(text: string): Value | undefined {
    const alike = this.#alike.get(sampleOf(text));
    if (alike === undefined) return undefined;
    for (const known of alike) if (known.text === text) return known.value;
    return undefined;
  }

  /** Whether no text with these samples was seen recently. Records the text, so the next call returns false. */
  isFirstSight(text: string): boolean {
    const key = sampleOf(text);
    if (this.#alike.get(key) !== undefined) return false;
    this.#alike.set(key, [], ENTRY_UNITS);
    return true;
  }

  /** Stores a value and returns it. */
  set(text: string, value: Value): Value {
    const key = sampleOf(text);
    const alike = [{ text, value }, ...(this.#alike.get(key) ?? []).slice(0, MAX_ALIKE - 1)];
    const units = alike.reduce((sum, known) => sum + known.text.length + ENTRY_UNITS, 0);
    this.#alike.set(key, alike, units);
    return value;
  }
}

/** The beginning and the end, which hold a message, are hashed whole: a sample that misses what differs makes new texts look known. */
function sampleOf(text: string): number {
  const end = text.length - SAMPLES;
  const step = Math.max(1, Math.floor((end - SAMPLES) / SAMPLES));
  let sample = text.length;
  for (let at = 0; at < text.length; at += at < SAMPLES || at >= end ? 1 : Math.min(step, end - at)) {
    sample = (Math.imul(sample, 31) + text.charCodeAt(at)) | 0;
  }
  return sample;
}
