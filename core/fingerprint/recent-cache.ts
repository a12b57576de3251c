interface Entry<Value> {
  readonly value: Value;
  readonly units: number;
}

/** Questions that a full generation answers for each of its entries before a new one begins. */
const QUESTIONS_PER_ENTRY = 16;

/**
 * Remembers what was computed, as long as it is asked for now and then: two generations, of which the older one is forgotten when the younger one
 * is full. Holds twice `maxUnits` at most; a unit is what the caller counts.
 * Where far more is in use than it can hold, it takes in little: else everything would be forgotten just before it is asked for again, and keeping it
 * would cost more than computing it.
 */
export class RecentCache<Key extends string | number, Value> {
  readonly #maxUnits: number;
  #young = new Map<Key, Entry<Value>>();
  #old = new Map<Key, Entry<Value>>();
  #units = 0;
  #questions = 0;

  constructor(maxUnits: number) {
    this.#maxUnits = maxUnits;
  }

  get(key: Key): Value | undefined {
    this.#questions += 1;
    const young = this.#young.get(key);
    if (young !== undefined) return young.value;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old.value, old.units);
    return old?.value;
  }

  /** `units`: what key and value hold. */
  set(key: Key, value: Value, units: number): void {
    if (this.#units >= this.#maxUnits) {
      if (this.#questions < QUESTIONS_PER_ENTRY * this.#young.size) return;
      this.#old = this.#young;
      this.#young = new Map();
      this.#units = 0;
      this.#questions = 0;
    }
    this.#units += units - (this.#young.get(key)?.units ?? 0);
    this.#young.set(key, { value, units });
  }
}

interface Known<Value> {
  readonly text: string;
  readonly value: Value;
}

/** Units of a text that are looked at before it is compared whole. */
const SAMPLES = 128;
/** Texts that agree in their samples and are told apart by comparing them whole. */
const MAX_ALIKE = 8;
/** What an entry costs beside its text, in UTF-16 units. */
const ENTRY_UNITS = 64;

/**
 * Remembers what was computed from long texts. Hashing the whole of a stack trace costs almost as much as reading it, so units at regular distances
 * are hashed and what agrees in them is compared whole. Too many texts that agree push each other out: they are computed again.
 */
export class LongTextCache<Value> {
  readonly #alike: RecentCache<number, readonly Known<Value>[]>;

  /** Holds texts of twice `maxUnits` UTF-16 units at most. */
  constructor(maxUnits: number) {
    this.#alike = new RecentCache(maxUnits);
  }

  get(text: string): Value | undefined {
    const alike = this.#alike.get(sampleOf(text));
    if (alike === undefined) return undefined;
    for (const known of alike) if (known.text === text) return known.value;
    return undefined;
  }

  /** Whether no text with these samples was asked about lately: then it is hardly worth keeping. True once. */
  isFirstSight(text: string): boolean {
    const key = sampleOf(text);
    if (this.#alike.get(key) !== undefined) return false;
    this.#alike.set(key, [], ENTRY_UNITS);
    return true;
  }

  /** Remembers a value and answers it. */
  set(text: string, value: Value): Value {
    const key = sampleOf(text);
    const alike = [{ text, value }, ...(this.#alike.get(key) ?? []).slice(0, MAX_ALIKE - 1)];
    const units = alike.reduce((sum, known) => sum + known.text.length + ENTRY_UNITS, 0);
    this.#alike.set(key, alike, units);
    return value;
  }
}

function sampleOf(text: string): number {
  const step = Math.max(1, Math.floor(text.length / SAMPLES));
  let sample = text.length;
  for (let at = 0; at < text.length; at += step) sample = (Math.imul(sample, 31) + text.charCodeAt(at)) | 0;
  return sample;
}
