import { RecentCache } from './recent-cache.js';

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
