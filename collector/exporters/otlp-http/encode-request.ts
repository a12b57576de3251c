import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FollowedEvent } from '../../../core/storage/following/record-follower.js';
import { doInTurns, type Steps } from '../../processors/steps.js';
import { encodeJson } from './encode-json.js';
import { encodeProto } from './encode-proto.js';
import { RecordGroups } from './group-records.js';
import type { RecordGroup } from './log-record.js';
import { toLogRecord } from './to-log-record.js';

/** How a request is written. */
export interface RequestForm {
  readonly encoding: 'proto' | 'json';
  readonly isCompressed: boolean;
}

/** A request as it is posted. */
export interface EncodedRequest {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

const compress = promisify(gzip);

/** Writes events as one request of log records; undefined where one of them cannot be written, which must not keep back everything behind it. */
export async function encodeRequest(
  events: readonly FollowedEvent[],
  { encoding, isCompressed }: RequestForm,
): Promise<EncodedRequest | undefined> {
  try {
    const groups = await doInTurns(groupedRecords(events));
    const plain = encoding === 'json' ? await encodeJson(groups) : await encodeProto(groups);
    const headers = {
      'content-type': encoding === 'json' ? 'application/json' : 'application/x-protobuf',
      ...(isCompressed && { 'content-encoding': 'gzip' }),
    };
    return { body: isCompressed ? await compress(plain) : plain, headers };
  } catch {
    // What it says may hold the event's words.
    return undefined;
  }
}

function* groupedRecords(events: readonly FollowedEvent[]): Steps<readonly RecordGroup[]> {
  const records = new RecordGroups();
  for (const event of events) {
    yield;
    yield* records.add(yield* toLogRecord(event));
  }
  return records.groups;
}
