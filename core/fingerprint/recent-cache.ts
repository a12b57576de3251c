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
