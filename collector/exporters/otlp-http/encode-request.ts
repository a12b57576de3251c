import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FollowedEvent } from '../../../core/storage/following/record-follower.js';
import type { OtlpHttpExporterSettings } from '../../../generated/settings.js';
import type { OtlpAttributes } from '../../otlp/otlp-records.js';
import { jsonInSteps, runInSlices, type Steps } from '../../processors/event-processor/steps.js';
import { isSmall } from './any-value.js';
import { encodeJson } from './encode-json.js';
import { encodeProto } from './encode-proto.js';
import type { LogRecord, RecordGroup, RecordResource, RecordScope } from './log-record.js';
import { toLogRecord } from './to-log-record.js';

export interface EncodedRequest {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

const compress = promisify(gzip);

/** Encodes events as one request of log records; returns undefined if one cannot be encoded, so that later events are not blocked. */
export async function encodeRequest(
  events: readonly FollowedEvent[],
  { encoding, compression }: Pick<OtlpHttpExporterSettings, 'encoding' | 'compression'>,
): Promise<EncodedRequest | undefined> {
  try {
    const groups = await runInSlices(groupedRecords(events));
    const plain = encoding === 'json' ? await encodeJson(groups) : await encodeProto(groups);
    const isCompressed = compression === 'gzip';
    const headers = {
      'content-type': encoding === 'json' ? 'application/json' : 'application/x-protobuf',
      ...(isCompressed && { 'content-encoding': 'gzip' }),
    };
    return { body: isCompressed ? await compress(plain) : plain, headers };
  } catch {
    // The error can contain text of the event.
    return undefined;
  }
}

interface OpenGroup {
  readonly resource: RecordResource;
  readonly scopes: { readonly scope: RecordScope; readonly records: LogRecord[] }[];
  readonly byScope: Map<string, LogRecord[]>;
}

function* groupedRecords(events: readonly FollowedEvent[]): Steps<readonly RecordGroup[]> {
  const groups = new Map<string, OpenGroup>();
  for (const event of events) {
    yield;
    const record = yield* toLogRecord(event);
    const { resource, scope } = record;
    const key = yield* keyOf([resource.schemaUrl], resource.attributes);
    const group: OpenGroup = groups.get(key) ?? { resource, scopes: [], byScope: new Map() };
    groups.set(key, group);
    const scopeKey = yield* keyOf([scope.name, scope.version, scope.schemaUrl], scope.attributes);
    const records = group.byScope.get(scopeKey) ?? [];
    if (records.length === 0) group.scopes.push({ scope, records });
    group.byScope.set(scopeKey, records);
    records.push(record);
  }
  return [...groups.values()];
}

const ATTRIBUTES_AT_ONCE = 100;

/** Returns a unique key: lines of JSON, which contains no line break. */
function* keyOf(names: readonly string[], attributes: OtlpAttributes): Steps<string> {
  const lines = [JSON.stringify(names)];
  for (const [key, value] of attributes) {
    if (lines.length % ATTRIBUTES_AT_ONCE === 0) yield;
    if (isSmall(value)) lines.push(JSON.stringify([key, value]));
    else lines.push(JSON.stringify(key) + (yield* jsonInSteps(value)));
  }
  return lines.join('\n');
}
