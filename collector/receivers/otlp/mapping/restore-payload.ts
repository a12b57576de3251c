import { type JsonObject, type JsonValue, setOwnProperty } from '../../../../core/event/json.js';
import { FAULTLINE, nameAt, objectAt, recordField, recordMessage } from '../../../otlp/faultline-record.js';
import type { OtlpLogRecord } from '../../../otlp/otlp-records.js';
import { recordLevel } from '../../../otlp/severity.js';
import type { ResourceFields } from './attribute-reader.js';
import { restoreExtra } from './restore-extra.js';

/** Inputs for restoring a record. */
export interface RestorePayloadOptions {
  readonly ofResource: ResourceFields;
  readonly scope: JsonObject;
  readonly timestamp: string | null;
  /** Whether the record may set the number of further events it stands for. */
  readonly acceptsSampledCounts: boolean;
}

/**
 * Restores the payload of a record of another Faultline, with its hops in `extra.faultline.hops`. The sender is not verified: the payload is
 * validated like any event.
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
  const message = own('message', recordMessage(record));
  const { tags, used, resourceTags } = restoreTags(record);
  return {
    app: named('service.namespace', ofResource.app),
    env: named('deployment.environment.name', ofResource.env),
    error_name: own('error_name', attributes.get('exception.type') ?? ''),
    extra: restoreExtra(record, { ...options, message, used, resourceTags }),
    level: own('level', recordLevel(record)),
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
  /** Names of attributes that became tags. */
  readonly used: Set<string>;
  /** Names of resource attributes that became tags. */
  readonly resourceTags: Set<string>;
}

function restoreTags(record: OtlpLogRecord): RestoredTags {
  const tags: JsonObject = {};
  const used = new Set<string>();
  const resourceTags = new Set<string>();
  const locations = objectAt(record.attributes, FAULTLINE.tags) ?? {};
  for (const key of Object.keys(locations)) {
    const location = locations[key];
    let value: JsonValue | undefined;
    if (location === 'field') value = recordField(record, key);
    else if (location === 'resource') {
      resourceTags.add(key);
      value = record.resource.attributes.get(key);
    } else {
      const name = nameAt(location, key);
      used.add(name);
      value = record.attributes.get(name);
    }
    // A Collector on the way may have removed it.
    if (value !== undefined) setOwnProperty(tags, key, value);
  }
  return { tags, used, resourceTags };
}
