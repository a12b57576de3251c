import { encodeRequest } from '../../../../collector/exporters/otlp-http/encode-request.js';
import { decodeLogs } from '../../../../collector/receivers/otlp/decode/decode.js';
import { createRequestFieldReader } from '../../../../collector/receivers/otlp/mapping/http-attributes.js';
import { createFailureMapper } from '../../../../collector/receivers/otlp/mapping/map-failure.js';
import type { EventId, FingerprintValue, IssueId } from '../../../../core/event/ids.js';
import { isJsonObject, type JsonValue } from '../../../../core/event/json.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import { PayloadParser } from '../../../../core/event/validate/payload-reader.js';
import { normalize } from '../../../../core/normalize/normalize.js';
import type { FollowedEvent } from '../../../../core/storage/following/record-follower.js';

/** Settings of the receiving Faultline. */
export interface NextFaultline {
  readonly encoding: 'proto' | 'json';
  readonly acceptsSampledCounts?: boolean;
}

const LIMITS = { maxStringLength: 10_000, maxStackLength: 10_000, maxDepth: 32, maxTags: 100 };
const NO_SPANS = { own: undefined, server: undefined };

/** Builds an event as an exporter reads it from its store. */
function followed(payload: RawPayload): FollowedEvent {
  const fingerprint = 'f'.repeat(32) as FingerprintValue;
  const receivedAtMicros = 1_795_255_200_123_456;
  const eventId = '01a2041b-72ad-7000-8000-001dffb3a7d6' as EventId;
  return {
    issueId: '4071eeb4-3f12-5c27-8410-74fba4dde71a' as IssueId,
    fingerprint,
    payload,
    normalized: normalize(payload, { eventId, fingerprint, receivedAtMicros }).event,
    receivedAtMicros,
    raw: { path: '/raw.ndjson', line: 0 },
    after: { receivedAtMicros, taken: 1, passed: 1 },
  };
}

/** Returns what the receiving Faultline stores of an exported payload. */
export async function sentOn(payload: RawPayload, next: NextFaultline): Promise<RawPayload> {
  const request = await encodeRequest([followed(payload)], { encoding: next.encoding, compression: 'none' });
  if (request === undefined) throw new Error('not written');
  return await received(Buffer.from(request.body), next);
}

/** Returns what a Faultline stores of a request with one record. */
async function received(body: Buffer, { encoding, acceptsSampledCounts = false }: NextFaultline): Promise<RawPayload> {
  const map = createFailureMapper({
    defaults: { service: 'unknown_service', env: 'production' },
    requestFields: createRequestFieldReader(['request_id']),
    acceptsSampledCounts,
  });
  const reader = new PayloadParser({ defaults: {}, limits: LIMITS, keepsWeight: acceptsSampledCounts });
  for await (const records of decodeLogs(body, encoding === 'json' ? 'json' : 'protobuf', 10_000)) {
    for (const record of records) {
      if ('reason' in record) throw new Error(record.reason);
      const reading = reader.parse(map({ signal: 'log', record }, NO_SPANS));
      if (!reading.ok) throw new Error(`${reading.rejection.field} ${reading.rejection.reason}`);
      return JSON.parse(JSON.stringify(reading.payload));
    }
  }
  throw new Error('no record');
}

/** Removes what each hop adds: the number of hops, and members that contain only that. */
export function withoutHops(payload: RawPayload): unknown {
  const { extra, ...others } = JSON.parse(JSON.stringify(payload)) as RawPayload;
  const { faultline, ...members } = extra ?? {};
  const part: Record<string, JsonValue> = { ...(isJsonObject(faultline) ? faultline : {}) };
  delete part['hops'];
  const kept = Object.keys(part).length > 0 ? { ...members, faultline: part } : members;
  return { ...others, extra: Object.keys(kept).length > 0 ? kept : null };
}
