import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/event/json.js';
import { tooManyMembers } from '../../../core/event/payload-rejection.js';
import { withoutByteOrderMark } from '../events/byte-order-mark.js';
import { MAX_RECORD_BYTES } from './decode-limits.js';
import { BAD_RECORD_COST, type DecodeSteps, PauseMeter } from './decode-steps.js';
import { JsonCursor, type WalkSteps } from './json-cursor.js';
import { type JsonSpan, parseJson, walkGroups } from './json-group-walk.js';
import type { JsonNames } from './json-names.js';
import { groupsOf, type JsonScope, scopesOf } from './json-scopes.js';
import type { OtlpResource, OtlpScope } from './otlp-records.js';
import { type BadRecordReason, PartCollector } from './part-collector.js';

/** A record from its JSON. */
export type JsonRecordReader<Item> = (record: JsonObject, resource: OtlpResource, scope: OtlpScope) => Item;

/** Bytes of a body that is parsed in one go, which takes about 2 ms. */
const MAX_WHOLE_BYTES = 256 * 1024;

/** What passing one record costs, beside reading it. */
const RECORD_COST = 64;

/** Members of OTLP's JSON that make one member of an event: an attribute has a key and a value, and the value a type. */
const JSON_MEMBERS = 4;

/** One record, and how many members of objects and elements of arrays it has. */
interface RecordSpan extends JsonSpan {
  readonly members: number;
}

/** The records of one scope, still in their bytes. */
interface ScopeSpan extends JsonSpan {
  readonly resource: OtlpResource;
  readonly scope: OtlpScope;
}

/** Decodes a request of log records or spans, whose outer messages are alike. Throws `OTLP_INVALID` before the first part. */
export function* jsonSteps<Item>(
  body: Buffer,
  names: JsonNames,
  readRecord: JsonRecordReader<Item>,
  maxMembers: number,
): DecodeSteps<Item> {
  const scopes = body.length <= MAX_WHOLE_BYTES ? wholeScopes(body, names) : undefined;
  if (scopes === undefined) yield* walkedSteps(body, names, readRecord, maxMembers);
  else yield* wholeSteps(scopes, readRecord);
}

/** Undefined when a record is no object: only a walk can tell which bytes it came in. */
function wholeScopes(body: Buffer, names: JsonNames): readonly JsonScope[] | undefined {
  const groups = groupsOf(parseJson(withoutByteOrderMark(body).toString(), 'it'), names);
  const scopes = groups.flatMap((group, index) => [...scopesOf(group, index, names)]);
  return scopes.every(({ records }) => records.every(isJsonObject)) ? scopes : undefined;
}

function* wholeSteps<Item>(scopes: readonly JsonScope[], readRecord: JsonRecordReader<Item>): DecodeSteps<Item> {
  const parts = new PartCollector<Item>();
  for (const { resource, scope, records } of scopes) {
    for (const record of records) {
      if (isJsonObject(record)) parts.add(readRecord(record, resource, scope));
      if (parts.isFull) yield parts.take();
    }
  }
  if (!parts.isEmpty) yield parts.take();
}

/** The first walk checks everything but the records; the second one parses the records, each on its own. */
function* walkedSteps<Item>(
  body: Buffer,
  names: JsonNames,
  readRecord: JsonRecordReader<Item>,
  maxMembers: number,
): DecodeSteps<Item> {
  const listEnds = new Map<number, number>();
  for (const _ of walkScopes(body, names, listEnds)) yield undefined;
  const meter = new PauseMeter();
  const parts = new PartCollector<Item>();
  for (const scope of walkScopes(body, names, listEnds)) {
    if (scope === undefined) yield undefined;
    else yield* recordsOf(scope, body, { readRecord, maxMembers }, parts, meter);
  }
  if (!parts.isEmpty) yield parts.take();
}

function* recordsOf<Item>(
  { resource, scope, start, end }: ScopeSpan,
  body: Buffer,
  { readRecord, maxMembers }: { readonly readRecord: JsonRecordReader<Item>; readonly maxMembers: number },
  parts: PartCollector<Item>,
  meter: PauseMeter,
): DecodeSteps<Item> {
  for (const span of walkElements(body, start, end)) {
    if (span !== undefined) {
      const bytes = body.subarray(span.start, span.end);
      const record = parseRecord(bytes, span.members, maxMembers);
      if ('reason' in record) {
        parts.addBad(record, bytes);
        meter.add(BAD_RECORD_COST);
      } else parts.add(readRecord(record.value, resource, scope));
    }
    const isPauseDue = span === undefined || meter.spend(RECORD_COST + span.end - span.start);
    if (parts.isFull) yield parts.take();
    else if (isPauseDue) yield undefined;
  }
}

function* walkScopes(body: Buffer, names: JsonNames, listEnds: Map<number, number>): WalkSteps<ScopeSpan> {
  for (const group of walkGroups(body, names, listEnds)) {
    if (group === undefined) yield undefined;
    else {
      for (const { resource, scope, records } of scopesOf(group.value, group.index, names)) {
        const [list] = records;
        const span = typeof list === 'number' ? group.lists[list] : undefined;
        if (span !== undefined) yield { resource, scope, ...span };
      }
    }
  }
}

function* walkElements(body: Buffer, listStart: number, listEnd: number): WalkSteps<RecordSpan> {
  const cursor = new JsonCursor(body, listStart, listEnd);
  yield* cursor.array<RecordSpan>(function* () {
    const start = cursor.at;
    yield* cursor.value();
    yield { start, end: cursor.at, members: cursor.members };
  });
}

/** The record, or why it is none. */
function parseRecord(bytes: Buffer, members: number, maxMembers: number): BadRecordReason | { value: JsonObject } {
  if (bytes.length > MAX_RECORD_BYTES)
    return { reason: `The record has ${bytes.length} bytes, more than ${MAX_RECORD_BYTES}.` };
  if (members > JSON_MEMBERS * maxMembers)
    return { code: 'EVENT_TOO_MANY_MEMBERS', reason: `The record ${tooManyMembers(maxMembers)}.` };
  let value: JsonValue;
  try {
    value = JSON.parse(bytes.toString());
  } catch (error) {
    return { reason: `The record is not JSON: ${error instanceof Error ? error.message : String(error)}.` };
  }
  return isJsonObject(value) ? { value } : { reason: 'The record is not an object.' };
}
