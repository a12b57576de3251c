import { type JsonObject, type JsonValue, setOwnProperty } from '../../../core/event/json.js';
import { CONVENTION_NAMES, FAULTLINE } from '../../otlp/faultline-record.js';

/** Builds the attributes of a record, each with a unique name. */
export class AttributeBuilder {
  readonly all = new Map<string, JsonValue>();
  /** Original keys of received attributes that were renamed or are shared with a tag or member, by attribute name. */
  readonly renamed: JsonObject = {};
  readonly #received = new Set<string>();

  /** Sets an attribute with a fixed name; skips null and empty values. */
  set(name: string, value: JsonValue): void {
    if (value !== null && value !== '') this.all.set(name, value);
  }

  /** Adds an attribute received by OTLP. */
  addReceived(key: string, value: JsonValue): void {
    const name = this.#freeName('otlp.', key);
    if (name === key) this.#received.add(key);
    else setOwnProperty(this.renamed, name, key);
    this.all.set(name, value);
  }

  /** Adds a tag or a member of `extra` and records its name in `names`; shares an attribute with the same name and value. */
  add(names: JsonObject, prefix: 'tag.' | 'extra.', key: string, value: JsonValue): void {
    const isShared = key !== '' && !isReserved(key) && this.all.has(key) && this.all.get(key) === value;
    const name = isShared ? key : this.#freeName(prefix, key);
    // Otherwise it would be restored as the tag only.
    if (isShared && this.#received.has(key)) setOwnProperty(this.renamed, key, key);
    setOwnProperty(names, key, name === key ? '' : name);
    this.all.set(name, value);
  }

  /** Returns `key`, prefixed if it is empty, in use, or reserved by the conventions or by Faultline. */
  #freeName(prefix: string, key: string): string {
    const isFree = key !== '' && !CONVENTION_NAMES.has(key) && !isReserved(key) && !this.all.has(key);
    if (isFree) return key;
    let name = `${prefix}${key}`;
    while (this.all.has(name)) name = `${prefix}${name}`;
    return name;
  }
}

function isReserved(name: string): boolean {
  return name.startsWith('faultline.') || name === FAULTLINE.span || name === FAULTLINE.serverSpan;
}
