import { type JsonObject, type JsonValue, setOwnProperty } from '../../../../core/event/json.js';
import { FAULTLINE, messageOf, nameAt, objectAt, recordField } from '../../../otlp/faultline-record.js';
import type { OtlpLogRecord } from '../../../otlp/otlp-records.js';
import { levelOf } from '../../../otlp/severity.js';
import type { ResourceFields } from './attribute-reader.js';
import { restoreExtra } from './restore-extra.js';

/** What a record is restored with. */
export interface RestorePayloadOptions {
  readonly ofResource: ResourceFields;
  readonly scope: JsonObject;
  /** The time of the record. */
  readonly timestamp: string | null;
  /** Whether it may say for how many further events it stands. */
  readonly acceptsSampledCounts: boolean;
}

/**
 * The payload of a record that another Faultline wrote, as that one stored it; its hops stand in `extra.faultline.hops`. Anybody may claim to be one: what
 * comes of it is what any sender may send as an event, and is validated as such.
 */
export function restorePayload(record: OtlpLogRecord, options: RestorePayloadOptions): JsonObject {
  const { attributes, resource } = record;
  const { ofResource } = options;
  const fields = objectAt(attributes, FAULTLINE.fields) ?? {};
  const own = (field: string, found: JsonValue): JsonValue =>
    Object.hasOwn(fields, field) ? (fields[field] ?? null) : found;
  const at = (name: string): JsonValue => attributes.get(name) ?? null;
  const named = (name: string, other: string | null): string | null => {
    const value = resource.attributes.get(name);
    return typeof value === 'string' ? value : other;
  };
  const message = own('message', messageOf(record));
  const { tags, taken, resourceTags } = restoreTags(record);
  return {
    app: named('service.namespace', ofResource.app),
    env: named('deployment.environment.name', ofResource.env),
    error_name: own('error_name', attributes.get('exception.type') ?? ''),
    extra: restoreExtra(record, { ...options, message, taken, resourceTags }),
    level: own('level', levelOf(record)),
    message,
    method: own('method', at('http.request.method')),
    release: named('service.version', ofResource.release),
    request_id: own('request_id', at('request_id')),
    route: own('route', attributes.get('http.route') ?? ''),
    service: named('service.name', ofResource.service),
    session_id: own('session_id', at('session.id')),
    stack: own('stack', at('exception.stacktrace')),
    status_code: own('status_code', at('http.response.status_code')),
    tags,
    timestamp: own('timestamp', options.timestamp),
    user_id: own('user_id', at('user.id')),
  };
}

interface RestoredTags {
  readonly tags: JsonObject;
  /** Names of the attributes that they were. */
  readonly taken: Set<string>;
  /** Those of the resource. */
  readonly resourceTags: Set<string>;
}

function restoreTags(record: OtlpLogRecord): RestoredTags {
  const tags: JsonObject = {};
  const taken = new Set<string>();
  const resourceTags = new Set<string>();
  const places = objectAt(record.attributes, FAULTLINE.tags) ?? {};
  for (const key of Object.keys(places)) {
    const place = places[key];
    let value: JsonValue | undefined;
    if (place === 'field') value = recordField(record, key);
    else if (place === 'resource') {
      resourceTags.add(key);
      value = record.resource.attributes.get(key);
    } else {
      const name = nameAt(place, key);
      taken.add(name);
      value = record.attributes.get(name);
    }
    // A Collector in between may have taken it out.
    if (value !== undefined) setOwnProperty(tags, key, value);
  }
  return { tags, taken, resourceTags };
}
