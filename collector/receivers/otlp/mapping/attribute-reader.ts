import { hasMembers, type JsonObject, type JsonValue, setOwnProperty } from '../../../../core/event/json.js';
import type { OtlpAttributes, OtlpResource } from '../../../otlp/otlp-records.js';

/** Names for records whose resource has none. */
export interface ResourceDefaults {
  /** Default: the service name. */
  readonly app?: string;
  readonly service: string;
  readonly env: string;
}

/** Payload fields, tags and other attributes of a resource. */
export interface ResourceFields {
  readonly app: string;
  readonly service: string;
  readonly env: string;
  readonly release: string | null;
  readonly tags: Readonly<Record<string, string>>;
  /** Attributes that are neither field nor tag. */
  readonly extra: JsonObject;
}

const TAG_KEYS = ['service.instance.id', 'host.name', 'telemetry.sdk.language'];
/** Default service name of SDKs, optionally with the program name after a colon. */
const UNKNOWN_SERVICE = /^unknown_service(?::|$)/;

/** Creates a mapper that maps each resource or scope once, because records share them. */
export function mapOnce<Shared extends object, Mapped>(map: (shared: Shared) => Mapped): (shared: Shared) => Mapped {
  const known = new WeakMap<Shared, Mapped>();
  return (shared) => {
    let mapped = known.get(shared);
    if (mapped === undefined) {
      mapped = map(shared);
      known.set(shared, mapped);
    }
    return mapped;
  };
}

/** Reads the fields and tags of a resource. */
export function readResource(resource: OtlpResource, defaults: ResourceDefaults): ResourceFields {
  const source = new AttributeReader(resource.attributes);
  const service = source.text(['service.name']) ?? defaults.service;
  const app = source.text(['service.namespace']) ?? defaults.app ?? service;
  const env = source.text(['deployment.environment.name', 'deployment.environment']) ?? defaults.env;
  const release = source.text(['service.version']) ?? null;
  const tags: Record<string, string> = {};
  for (const key of TAG_KEYS) {
    const tag = source.text([key]);
    if (tag !== undefined) tags[key] = tag;
  }
  if (UNKNOWN_SERVICE.test(service)) tags['otlp.unknown_service'] = 'true';
  const extra: JsonObject = {};
  putFilled(extra, 'attributes', source.rest());
  putFilled(extra, 'dropped_attributes_count', resource.droppedAttributesCount);
  putFilled(extra, 'schema_url', resource.schemaUrl);
  return { app, service, env, release, tags, extra };
}

/** Finds payload fields in attributes and tracks the ones that a field holds unchanged; all others are the rest. */
export class AttributeReader {
  readonly attributes: OtlpAttributes;
  /** At most one key for each field. */
  readonly #used: string[] = [];

  /** Empty unless the attributes are those of a span. */
  readonly spanName: string;

  constructor(attributes: OtlpAttributes, spanName = '') {
    this.attributes = attributes;
    this.spanName = spanName;
  }

  /** Returns a value without marking it as used. */
  peek(key: string): JsonValue | undefined {
    return this.attributes.get(key);
  }

  /** Returns the first non-empty string, or number as text, of the keys. */
  text(keys: readonly string[]): string | undefined {
    for (const key of keys) {
      const value = this.attributes.get(key);
      if (typeof value === 'number') return String(value);
      if (typeof value !== 'string' || value === '') continue;
      this.#markUsed(key);
      return value;
    }
    return undefined;
  }

  /** Returns the first string of a list, the form of header attributes, or a string. */
  firstText(keys: readonly string[]): string | undefined {
    for (const key of keys) {
      const value = this.attributes.get(key);
      const first = Array.isArray(value) ? value[0] : value;
      if (typeof first === 'string' && first !== '') return first;
    }
    return undefined;
  }

  /** Returns the first integer, a number or digits, of the keys. */
  integer(keys: readonly string[]): number | undefined {
    for (const key of keys) {
      const value = this.attributes.get(key);
      if (typeof value === 'number' && Number.isSafeInteger(value)) {
        this.#markUsed(key);
        return value;
      }
      if (typeof value === 'string' && /^\d{1,9}$/.test(value)) return Number(value);
    }
    return undefined;
  }

  /** Marks an attribute as used if a field holds its value. */
  use(key: string, value: JsonValue): void {
    if (this.attributes.get(key) === value) this.#markUsed(key);
  }

  /** Returns the unused attributes in the sender's order. */
  rest(): JsonObject {
    const rest: JsonObject = {};
    if (this.#used.length === this.attributes.size) return rest;
    for (const [key, value] of this.attributes) if (!this.#used.includes(key)) setOwnProperty(rest, key, value);
    return rest;
  }

  #markUsed(key: string): void {
    if (!this.#used.includes(key)) this.#used.push(key);
  }
}

/** Sets a member unless its value is an OTLP default: null, 0, an empty string or an empty object. */
export function putFilled<Value extends JsonValue>(target: { [key: string]: Value }, key: string, value: Value): void {
  if (value === null || value === 0 || value === '') return;
  if (typeof value === 'object' && !hasMembers(value)) return;
  target[key] = value;
}
