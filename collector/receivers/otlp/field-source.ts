import { type JsonObject, type JsonValue, setOwnProperty } from '../../../core/event/json.js';
import type { OtlpAttributes } from '../../otlp/otlp-records.js';

/**
 * Attributes in which fields of a payload are looked up. It keeps in mind which ones a field took whole: all others, also those whose value a field
 * took in another form, are the rest.
 */
export class FieldSource {
  readonly #attributes: OtlpAttributes;
  /** Few: as many as there are fields. */
  readonly #taken: string[] = [];

  constructor(attributes: OtlpAttributes) {
    this.#attributes = attributes;
  }

  /** The value under a key, without taking it. */
  peek(key: string): JsonValue | undefined {
    return this.#attributes.get(key);
  }

  /** The first text under one of the keys that is not empty, or the text of a number. */
  text(keys: readonly string[]): string | undefined {
    for (const key of keys) {
      const value = this.#attributes.get(key);
      if (typeof value === 'number') return String(value);
      if (typeof value !== 'string' || value === '') continue;
      this.#take(key);
      return value;
    }
    return undefined;
  }

  /** The first text of a list, as attributes of headers are, or a text. */
  firstText(keys: readonly string[]): string | undefined {
    for (const key of keys) {
      const value = this.#attributes.get(key);
      const first = Array.isArray(value) ? value[0] : value;
      if (typeof first === 'string' && first !== '') return first;
    }
    return undefined;
  }

  /** The first integer under one of the keys, as number or digits. */
  integer(keys: readonly string[]): number | undefined {
    for (const key of keys) {
      const value = this.#attributes.get(key);
      if (typeof value === 'number' && Number.isSafeInteger(value)) {
        this.#take(key);
        return value;
      }
      if (typeof value === 'string' && /^\d{1,9}$/.test(value)) return Number(value);
    }
    return undefined;
  }

  /** What no field took, in the sender's order. */
  rest(): JsonObject {
    const rest: JsonObject = {};
    if (this.#taken.length === this.#attributes.size) return rest;
    for (const [key, value] of this.#attributes) if (!this.#taken.includes(key)) setOwnProperty(rest, key, value);
    return rest;
  }

  #take(key: string): void {
    if (!this.#taken.includes(key)) this.#taken.push(key);
  }
}
