import { type JsonObject, type JsonValue, setOwnProperty } from '../../../core/event/json.js';
import { CONVENTION_NAMES, FAULTLINE } from '../../otlp/faultline-record.js';
import type { OtlpAttributes } from '../../otlp/otlp-records.js';

/** The attributes of a record while they are put, each under a name of its own. */
export class PlacedAttributes {
  readonly #attributes = new Map<string, JsonValue>();
  readonly #renamed: JsonObject = {};
  readonly #brought = new Set<string>();

  get all(): OtlpAttributes {
    return this.#attributes;
  }

  /** Keys of what OTLP brought that stands under other names, or for a tag or member too, by these names. */
  get renamed(): JsonObject {
    return this.#renamed;
  }

  /** Puts one of those that have fixed names; what says nothing is left out. */
  put(name: string, value: JsonValue): void {
    if (value !== null && value !== '') this.#attributes.set(name, value);
  }

  /** Puts an attribute that OTLP brought. */
  bring(key: string, value: JsonValue): void {
    const name = this.#freeName('otlp.', key);
    if (name === key) this.#brought.add(key);
    else setOwnProperty(this.#renamed, name, key);
    this.#attributes.set(name, value);
  }

  /** Puts a tag or a member of `extra` and notes in `places` where; what has the name already, with the same value, serves for both. */
  place(places: JsonObject, prefix: 'tag.' | 'extra.', key: string, value: JsonValue): void {
    const isShared =
      key !== '' && !isFaultlines(key) && this.#attributes.has(key) && this.#attributes.get(key) === value;
    const name = isShared ? key : this.#freeName(prefix, key);
    // Without this it would count as the tag alone.
    if (isShared && this.#brought.has(key)) setOwnProperty(this.#renamed, key, key);
    setOwnProperty(places, key, name === key ? '' : name);
    this.#attributes.set(name, value);
  }

  /** OTLP wants names that are not empty, and those of the conventions and of Faultline mean what they mean there. */
  #freeName(prefix: string, key: string): string {
    const isFree = key !== '' && !CONVENTION_NAMES.has(key) && !isFaultlines(key) && !this.#attributes.has(key);
    if (isFree) return key;
    let name = `${prefix}${key}`;
    while (this.#attributes.has(name)) name = `${prefix}${name}`;
    return name;
  }
}

function isFaultlines(name: string): boolean {
  return name.startsWith('faultline.') || name === FAULTLINE.span || name === FAULTLINE.serverSpan;
}
