import { decodeRawLine, encodeRawLine } from '../../../core/event/raw-line.js';
import { PayloadParser } from '../../../core/event/validate/payload-reader.js';
import { normalize } from '../../../core/normalize/normalize.js';
import { payloadMatcher } from '../../../core/query/match-query.js';
import { parseQuery } from '../../../core/query/parse-query.js';
import { OPENAPI_SCHEMAS } from '../../../generated/openapi-schemas.js';
import { EVENT_CSV_COLUMNS } from '../../../tui/format/export/csv.js';
import { sentOn } from '../../collector/exporters/otlp-http/next-faultline.js';

/** Prints what becomes of an event with the field `region`, whose value is a number in the event that is sent. */
const LIMITS = { maxStringLength: 10_000, maxStackLength: 10_000, maxDepth: 32, maxTags: 100 };
const parser = new PayloadParser({ defaults: {}, limits: LIMITS });
const sent = { app: 'shop', service: 'api', env: 'test', error_name: 'E', message: 'm', route: '/' };

const reading = parser.parse({ ...sent, region: 7 });
if (!reading.ok) throw new Error(reading.rejection.reason);
const { payload, notes } = reading;
const line = encodeRawLine({ ...payload, region: 'eu' } as typeof payload).toString();
const stored = decodeRawLine(line);
const receipt = { eventId: 'id', fingerprint: 'f', receivedAtMicros: 1 } as unknown as Parameters<typeof normalize>[1];
const { event } = normalize(stored, receipt);
const detail = {
  event_id: 'id',
  issue_id: 'issue',
  normalized: event,
  raw: { path: '/raw', line: 0, payload: stored },
};
const matched = ['region:eu', 'region:us', 'region:e*'].map((query) => {
  return [query, payloadMatcher(parseQuery(query, 'payloads'))(stored)];
});

console.log(
  JSON.stringify({
    notes,
    missing: parser.parse(sent),
    cut: parser.parse({ ...payload, region: 'x'.repeat(10_001) }),
    line,
    earlier: decodeRawLine(line.replace('"region":"eu",', '')),
    normalizedKeys: Object.keys(event),
    normalized: event,
    matched: Object.fromEntries(matched),
    csv: EVENT_CSV_COLUMNS.map(({ heading, value }) => [heading, value(detail as never)]),
    forwarded: await sentOn(stored, { encoding: 'proto' }),
    schemas: OPENAPI_SCHEMAS,
  }),
);
