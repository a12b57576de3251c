import { isJsonObject } from '../../../event/json.js';
import { indexUnusable } from './index-fault.js';

/** Reads the fields of a parsed document one by one; every method throws `INDEX_UNUSABLE` where the field is not what it asks for. */
export class DocumentFields {
  readonly #path: string;
  readonly #data: { readonly [key: string]: unknown };

  constructor(path: string, data: unknown) {
    if (!isJsonObject(data)) throw indexUnusable(path, 'is no JSON object');
    this.#path = path;
    this.#data = data;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#data, key);
  }

  /** A whole number of 0 or more. */
  count(key: string): number {
    const value = this.#get(key);
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
    throw this.unusable(key);
  }

  /** A whole number of any sign. */
  integer(key: string): number {
    const value = this.#get(key);
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    throw this.unusable(key);
  }

  textOrNull(key: string): string | null {
    return this.#get(key) === null ? null : this.text(key);
  }

  text(key: string): string {
    const value = this.#get(key);
    if (typeof value === 'string') return value;
    throw this.unusable(key);
  }

  /** A list of whole numbers that are nearly all below 2^31, of that length when it is given. */
  integers(key: string, length?: number): number[] {
    const value = this.#get(key);
    if (!isIntegers(value) || (length !== undefined && value.length !== length)) throw this.unusable(key);
    return value;
  }

  /** The same of numbers that may well be larger: instants and distances between them. */
  times(key: string, length?: number): number[] {
    const value = this.#get(key);
    if (!isTimes(value) || (length !== undefined && value.length !== length)) throw this.unusable(key);
    return value;
  }

  texts(key: string, length?: number): string[] {
    return this.#list(key, length, (value): value is string => typeof value === 'string');
  }

  textsOrNulls(key: string, length: number): (string | null)[] {
    return this.#list(key, length, (value): value is string | null => value === null || typeof value === 'string');
  }

  /** A list of lists of texts. */
  textLists(key: string): string[][] {
    return this.#list(
      key,
      undefined,
      (value): value is string[] => Array.isArray(value) && value.every((member) => typeof member === 'string'),
    );
  }

  /** A fault that blames one field. */
  unusable(key: string): Error {
    return indexUnusable(this.#path, `holds no usable "${key}"`);
  }

  #get(key: string): unknown {
    return Object.hasOwn(this.#data, key) ? this.#data[key] : undefined;
  }

  #list<Member>(key: string, length: number | undefined, isMember: (value: unknown) => value is Member): Member[] {
    const value = this.#get(key);
    if (!Array.isArray(value) || !value.every(isMember)) throw this.unusable(key);
    if (length !== undefined && value.length !== length) throw this.unusable(key);
    return value;
  }
}

/** As a loop of its own: segments are read by the thousand, and a call for each member took longer than their text took to parse. */
function isIntegers(value: unknown): value is number[] {
  if (!Array.isArray(value)) return false;
  for (let place = 0; place < value.length; place += 1) if (!Number.isSafeInteger(value[place])) return false;
  return true;
}

/**
 * Not the same function: an optimized loop that has seen lists of large numbers turns lists of small integers into such lists, and every issue that takes
 * a number out of one is then converted by V8 as well. That was a quarter of a load.
 */
function isTimes(value: unknown): value is number[] {
  if (!Array.isArray(value)) return false;
  for (let place = 0; place < value.length; place += 1) if (!Number.isSafeInteger(value[place])) return false;
  return true;
}
