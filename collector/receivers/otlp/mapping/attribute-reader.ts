import { type JsonObject, type JsonValue, setOwnProperty } from '../../../../core/event/json.js';
import type { OtlpAttributes, OtlpResource } from '../../../otlp/otlp-records.js';

/** Names for records whose resource does not give them. */
export interface ResourceDefaults {
  /** Absent: the name of the service. */
  readonly app?: string;
  readonly service: string;
  readonly env: string;
}

/** What a resource says of all of its records: fields of a raw payload, and what has none. */
export interface ResourceFields {
  readonly app: string;
  readonly service: string;
  readonly env: string;
  readonly release: string | null;
  readonly tags: Readonly<Record<string, string>>;
  /** What no field and no tag holds. */
  readonly extra: JsonObject;
}

const TAG_KEYS = ['service.instance.id', 'host.name', 'telemetry.sdk.language'];
/** What SDKs name a service that nobody named; by the conventions with the program's name behind a colon. */
const UNKNOWN_SERVICE = /^unknown_service(?::|$)/;

/** Builds the reader of resources; it reads each only once, because all records of a request share it. */
export function createResourceReader(defaults: ResourceDefaults): (resource: OtlpResource) => ResourceFields {
  const known = new WeakMap<OtlpResource, ResourceFields>();
  return (resource) => {
    let fields = known.get(resource);
    if (fields === undefined) {
      fields = readResource(resource, defaults);
      known.set(resource, fields);
    }
    return fields;
  };
}

function readResource(resource: OtlpResource, defaults: ResourceDefaults): ResourceFields {
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

/**
 * Attributes in which fields of a payload are looked up. It keeps in mind which ones a field took whole: all others, also those whose value a field
 * took in another form, are the rest.
 */
export class AttributeReader {
  readonly #attributes: OtlpAttributes;
  /** Few: as many as there are fields. */
  readonly #used: string[] = [];

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
      this.#markUsed(key);
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
        this.#markUsed(key);
        return value;
      }
      if (typeof value === 'string' && /^\d{1,9}$/.test(value)) return Number(value);
    }
    return undefined;
  }

  /** What no field took, in the sender's order. */
  rest(): JsonObject {
    const rest: JsonObject = {};
    if (this.#used.length === this.#attributes.size) return rest;
    for (const [key, value] of this.#attributes) if (!this.#used.includes(key)) setOwnProperty(rest, key, value);
    return rest;
  }

  #markUsed(key: string): void {
    if (!this.#used.includes(key)) this.#used.push(key);
  }
}

/** Sets a member unless its value is what OTLP takes for nothing: null, 0, an empty text or an empty object. */
export function putFilled<Value extends JsonValue>(target: { [key: string]: Value }, key: string, value: Value): void {
  if (value === null || value === 0 || value === '') return;
  if (typeof value === 'object' && isEmpty(value)) return;
  target[key] = value;
}

function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}
