import type { JsonObject } from '../../../core/event/json.js';
import type { OtlpResource } from '../../otlp/otlp-records.js';
import { putFilled } from './failure-extra.js';
import { FieldSource } from './field-source.js';

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
  const source = new FieldSource(resource.attributes);
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
