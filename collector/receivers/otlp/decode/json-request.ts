import { Fault } from '../../../../core/event/fault.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/event/json.js';
import { withoutByteOrderMark } from '../../../../core/event/json-bytes.js';
import { tooManyMembers } from '../../../../core/event/validate/payload-check.js';
import { memberOf, textOf } from '../../../otlp/json-values.js';
import {
  type MemberCount,
  type OtlpBadRecord,
  type OtlpResource,
  type OtlpScope,
  TOO_DEEP,
} from '../../../otlp/otlp-records.js';
import { availableBytes } from '../../../telemetry/available-memory.js';
import { describeJsonError } from '../../events/body-faults.js';
import { parseSteps } from '../../intake/parse-steps.js';
import { type DecodeSteps, otlpInvalid, PauseMeter } from './decode-steps.js';
import { checkList, checkRequest } from './foreign-signal.js';
import { JsonOutline } from './json-outline.js';
import { type MessageType, RESOURCE, SCOPE } from './otlp-messages.js';

/** Names of the nested lists in a request, outermost first. */
export type ListNames = readonly [groups: string, scopes: string, records: string];

interface ScopeRecords {
  readonly resource: OtlpResource;
  readonly scope: OtlpScope;
  readonly records: readonly JsonValue[];
}

/** A parsed request; `outline` if its records are not parsed yet. */
interface ParsedRequest {
  readonly value: JsonValue;
  readonly outline?: JsonOutline;
}

/** Most object members and array elements that are parsed at once; of larger requests, each record is parsed alone. */
const MAX_MEMBERS_AT_ONCE = 200_000;
/** Most members of one record, and of all besides the records, with much memory. */
const MAX_RECORD_MEMBERS = 1_500_000;
/** What a member takes while it is parsed, in bytes: 45 in usual records, up to 140 in an object of many keys (Node 20.20, x64). */
const MEMBER_BYTES = 150;
/** These members may take this part of the available memory; several requests come before their garbage is collected. */
const MEMBERS_SHARE = 0.15;

/** Members of OTLP JSON for one member of an event: an attribute has a key and a value, and the value a type. */
const JSON_MEMBERS = 4;

/** Decodes a request of log records or spans. Throws `OTLP_INVALID` and `BODY_TOO_LARGE` only before the first record. */
export function* jsonSteps<Item>(
  body: Buffer,
  names: ListNames,
  type: MessageType<Item>,
  maxMembers: number,
): DecodeSteps<Item> {
  const count: MemberCount = { members: 0, maxMembers };
  const meter = new PauseMeter();
  const scopes: ScopeRecords[] = [];
  const { value, outline } = yield* parseBody(withoutByteOrderMark(body), names, maxMembers);
  for (const scope of scopesOf(value, names, count)) {
    if (scope !== undefined && scope.records.length > 0) scopes.push(scope);
    if (meter.spend(1 + count.members)) yield undefined;
  }
  for (const { records, resource, scope } of scopes) {
    const empty = type.empty({ resource, scope });
    for (const record of outline?.recordsOf(records) ?? records) yield decodeRecord(record, type, count, empty);
  }
}

/** `record`: its bytes if it has too many members to be parsed. */
function decodeRecord<Item>(
  record: JsonValue | Buffer,
  type: MessageType<Item>,
  count: MemberCount,
  empty: Item,
): Item | OtlpBadRecord {
  if (Buffer.isBuffer(record)) {
    const reason = `The record ${tooManyMembers(recordMembers(count.maxMembers))}.`;
    return { code: 'EVENT_TOO_MANY_MEMBERS', reason, received: record };
  }
  if (!isJsonObject(record)) {
    return { code: 'OTLP_RECORD_INVALID', reason: 'The record is not an object.', received: bytesOf(record) };
  }
  count.members = 0;
  try {
    return type.fromJson(record, count, empty);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { code: error.code, reason: `The record ${error.message}.`, received: bytesOf(record) };
  }
}

/** Counts members before parsing, because each parsed member takes many times its bytes. */
function* parseBody(body: Buffer, names: ListNames, maxMembers: number): Generator<undefined, ParsedRequest> {
  const maxRecordMembers = recordMembers(maxMembers);
  try {
    return { value: yield* parseAtOnce(body, Math.max(MAX_MEMBERS_AT_ONCE, JSON_MEMBERS * maxMembers)) };
  } catch (error) {
    if (!isTooMany(error)) throw error;
  }
  const outline = yield* JsonOutline.read(body, names, maxRecordMembers);
  try {
    return { value: yield* parseAtOnce(outline.text(), maxRecordMembers), outline };
  } catch (error) {
    if (!isTooMany(error)) throw error;
    throw new Fault('BODY_TOO_LARGE', `the request ${error.message} besides its records: send it in parts`);
  }
}

function* parseAtOnce(body: Buffer, maxMembers: number): Generator<undefined, JsonValue> {
  try {
    return (yield* parseSteps(body, maxMembers)).value;
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw otlpInvalid(`it is not JSON: ${describeJsonError(error, body.toString()).reason}`, error);
  }
}

function isTooMany(error: unknown): error is Fault {
  return error instanceof Fault && error.code === 'EVENT_TOO_MANY_MEMBERS';
}

/** Most members of one record, and of all of a request besides its records. */
function recordMembers(maxMembers: number): number {
  const fitting = Math.floor((availableBytes() * MEMBERS_SHARE) / MEMBER_BYTES);
  return Math.max(JSON_MEMBERS * maxMembers, Math.min(MAX_RECORD_MEMBERS, fitting));
}

/** Yields the scopes of a request, and undefined where it may pause. Throws `OTLP_INVALID` if a message or list has another type. */
function* scopesOf(
  request: JsonValue,
  [groups, scopes, records]: ListNames,
  count: MemberCount,
): Generator<ScopeRecords | undefined, void> {
  if (!isJsonObject(request)) throw otlpInvalid(`it is ${kindOf(request)}, send an object with ${groups}`);
  checkRequest(request, groups);
  for (const [index, group] of arrayOf(request, groups, groups).entries()) {
    if (group === null) continue;
    const path = `${groups}[${index}]`;
    assertMessage(group, path);
    checkList(group, scopes, path);
    const resource = readHead(path, count, () =>
      RESOURCE.fromJson(group['resource'], count, RESOURCE.empty(schemaOf(group))),
    );
    yield undefined;
    for (const [position, envelope] of arrayOf(group, scopes, `${path}.${scopes}`).entries()) {
      if (envelope === null) continue;
      const scopePath = `${path}.${scopes}[${position}]`;
      assertMessage(envelope, scopePath);
      checkList(envelope, records, scopePath);
      const scope = readHead(scopePath, count, () =>
        SCOPE.fromJson(envelope['scope'], count, SCOPE.empty(schemaOf(envelope))),
      );
      yield { resource, scope, records: arrayOf(envelope, records, `${scopePath}.${records}`) };
    }
  }
}

function schemaOf(envelope: JsonObject): { readonly schemaUrl: string } {
  return { schemaUrl: textOf(memberOf(envelope, 'schemaUrl')) };
}

/** A resource or scope has the same bound of members as a record. */
function readHead<Head>(path: string, count: MemberCount, read: () => Head): Head {
  count.members = 0;
  try {
    return read();
  } catch (error) {
    if (error instanceof Fault) throw otlpInvalid(`the head of ${path} ${error.message}`, error);
    throw error;
  }
}

function arrayOf(object: JsonObject, name: string, path: string): readonly JsonValue[] {
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

/** Encodes a record as JSON again; a placeholder if its nesting overflows the stack. */
function bytesOf(record: JsonValue): Buffer {
  try {
    return Buffer.from(JSON.stringify(record));
  } catch {
    return Buffer.from(TOO_DEEP);
  }
}
