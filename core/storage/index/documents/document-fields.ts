import { isJsonObject } from '../../../event/json.js';
import { indexUnusable } from './index-fault.js';

/** Reads the fields of a parsed document; every method throws `INDEX_UNUSABLE` if the field has another type. */
export class DocumentFields {
  readonly #path: string;
  readonly #data: { readonly [key: string]: unknown };

  constructor(path: string, data: unknown) {
    if (!isJsonObject(data)) throw indexUnusable(path, 'is not a JSON object');
    this.#path = path;
    this.#data = data;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#data, key);
  }

  /** A whole number, at least 0. */
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

  integers(key: string, length?: number): number[] {
    return this.#list(key, length, (value): value is number => Number.isSafeInteger(value));
  }

  texts(key: string, length?: number): string[] {
    return this.#list(key, length, (value): value is string => typeof value === 'string');
  }

  textsOrNulls(key: string, length: number): (string | null)[] {
    return this.#list(key, length, (value): value is string | null => value === null || typeof value === 'string');
  }

  textLists(key: string): string[][] {
    return this.#list(
      key,
      undefined,
      (value): value is string[] => Array.isArray(value) && value.every((member) => typeof member === 'string'),
    );
  }

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

/** Assigns numbers to the texts of one document, so that columns hold small numbers. */
export class Dictionary {
  readonly #codes = new Map<string, number>();

  /** Adds a new text. */
  codeOf(text: string): number {
    const assigned = this.#codes.get(text);
    if (assigned !== undefined) return assigned;
    const code = this.#codes.size;
    this.#codes.set(text, code);
    return code;
  }

  /** By code. */
  texts(): string[] {
    return [...this.#codes.keys()];
  }
}
