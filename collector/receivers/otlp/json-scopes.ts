import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/event/json.js';
import { attributesOf } from './json-any-value.js';
import { type MemberName, memberOf, messageOf } from './json-member.js';
import { DROPPED_ATTRIBUTES_COUNT, type JsonNames } from './json-names.js';
import { textOf, uint32Of } from './json-scalars.js';
import { otlpInvalid } from './otlp-invalid.js';
import type { OtlpResource, OtlpScope } from './otlp-records.js';

/** The records of one scope. */
export interface JsonScope {
  readonly resource: OtlpResource;
  readonly scope: OtlpScope;
  readonly records: readonly JsonValue[];
}

const SCHEMA_URL: MemberName = ['schemaUrl', 'schema_url'];

/** The outermost list. Throws `OTLP_INVALID` when the request is no object or its list no array. */
export function groupsOf(request: JsonValue, names: JsonNames): readonly JsonValue[] {
  if (!isJsonObject(request)) throw otlpInvalid(`it is ${kindOf(request)}, send an object with ${names.groups[0]}`);
  return arrayOf(request, names.groups, names.groups[0]);
}

/** The scopes of an element of the outermost list, which stands at `index`. Throws `OTLP_INVALID` where a message or list is something else. */
export function* scopesOf(group: JsonValue, index: number, names: JsonNames): Generator<JsonScope, void> {
  const path = `${names.groups[0]}[${index}]`;
  if (group === null) return;
  assertMessage(group, path);
  const resource = resourceOf(group);
  for (const [position, scope] of arrayOf(group, names.scopes, `${path}.${names.scopes[0]}`).entries()) {
    if (scope === null) continue;
    const scopePath = `${path}.${names.scopes[0]}[${position}]`;
    assertMessage(scope, scopePath);
    const records = arrayOf(scope, names.records, `${scopePath}.${names.records[0]}`);
    yield { resource, scope: scopeOf(scope), records };
  }
}

function resourceOf(group: JsonObject): OtlpResource {
  const resource = messageOf(group, 'resource');
  return {
    attributes: attributesOf(resource['attributes']),
    droppedAttributesCount: uint32Of(memberOf(resource, DROPPED_ATTRIBUTES_COUNT)),
    schemaUrl: textOf(memberOf(group, SCHEMA_URL)),
  };
}

function scopeOf(envelope: JsonObject): OtlpScope {
  const scope = messageOf(envelope, 'scope');
  return {
    name: textOf(scope['name']),
    version: textOf(scope['version']),
    attributes: attributesOf(scope['attributes']),
    droppedAttributesCount: uint32Of(memberOf(scope, DROPPED_ATTRIBUTES_COUNT)),
    schemaUrl: textOf(memberOf(envelope, SCHEMA_URL)),
  };
}

function arrayOf(object: JsonObject, name: MemberName, path: string): readonly JsonValue[] {
  const list = memberOf(object, name);
  if (list === undefined) return [];
  if (!Array.isArray(list)) throw otlpInvalid(`${path} is ${kindOf(list)}, send an array`);
  return list;
}

function assertMessage(value: JsonValue, path: string): asserts value is JsonObject {
  if (!isJsonObject(value)) throw otlpInvalid(`${path} is ${kindOf(value)}, send an object`);
}

function kindOf(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`.replace('a object', 'an object');
}
