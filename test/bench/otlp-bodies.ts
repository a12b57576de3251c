import type { RawPayload } from '../../core/event/raw-payload.js';
import { encodeByOracle, MESSAGES } from '../collector/receivers/otlp/decode/oracle.js';
import { sampleEvent } from './sample-events.js';

interface DecodedAttribute {
  readonly key: string;
  readonly value?: { readonly stringValue?: string | null } | null;
}

/** The members of a decoded request that are used here. */
interface DecodedLogs {
  readonly resourceLogs: { scopeLogs: { logRecords: { attributes: DecodedAttribute[] }[] }[] }[];
}

const FIRST_NANOS = 1_790_000_000_000_000_000n;

function attribute(key: string, value: object): object {
  return { key, value };
}

/** The ids of a trace in hexadecimal. */
interface TraceIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** A log record with an exception of 18 frames, about 1.8 kB as JSON. */
function record(event: RawPayload, serial: number, ids: TraceIds | undefined): object {
  const nanos = String(FIRST_NANOS + BigInt(serial) * 1_000_000n);
  return {
    timeUnixNano: nanos,
    observedTimeUnixNano: nanos,
    severityNumber: 17,
    severityText: 'ERROR',
    body: { stringValue: event.message },
    attributes: [
      attribute('exception.type', { stringValue: event.error_name }),
      attribute('exception.message', { stringValue: event.message }),
      attribute('exception.stacktrace', { stringValue: event.stack }),
      attribute('http.request.method', { stringValue: 'POST' }),
      attribute('http.route', { stringValue: event.route }),
      attribute('http.response.status_code', { intValue: 502 }),
      attribute('session.id', { stringValue: event.session_id }),
      attribute('user.id', { stringValue: event.user_id }),
    ],
    droppedAttributesCount: 0,
    ...ids,
  };
}

function request(logRecords: readonly object[]): object {
  const attributes = [
    attribute('service.name', { stringValue: 'checkout' }),
    attribute('service.version', { stringValue: 'v2.4.1' }),
    attribute('deployment.environment.name', { stringValue: 'production' }),
  ];
  const scopeLogs = [{ scope: { name: 'bench', version: '1.0.0' }, logRecords }];
  return { resourceLogs: [{ resource: { attributes }, scopeLogs }] };
}

/** Encodes log records as a protobuf body, without trace ids, so that a repeated body is stored again. */
export function otlpProtobufBody(first: number, count: number, kinds: number): Buffer {
  const records = Array.from({ length: count }, (_, index) =>
    record(sampleEvent((first + index) % kinds, first + index), first + index, undefined),
  );
  return encodeByOracle('logs', request(records));
}

/** Encodes events as log records; with `hasIds` the digits of each serial of eight digits are bytes of its trace and span id. */
export function otlpBody(
  encoding: 'json' | 'protobuf',
  events: readonly RawPayload[],
  firstSerial: number,
  hasIds: boolean,
): Buffer {
  const ids = (serial: number): TraceIds =>
    encoding === 'json'
      ? { traceId: `${serial}`.padStart(32, '0'), spanId: `${serial}`.padStart(16, '0') }
      : { traceId: hexOf(`trace-id${serial}`), spanId: hexOf(`${serial}`) };
  const body = request(
    events.map((event, index) => record(event, firstSerial + index, hasIds ? ids(firstSerial + index) : undefined)),
  );
  return encoding === 'json' ? Buffer.from(JSON.stringify(body)) : encodeByOracle('logs', body);
}

function hexOf(text: string): string {
  return Buffer.from(text, 'latin1').toString('hex');
}

function decode(body: Uint8Array): DecodedLogs {
  return MESSAGES.logs.decode(body) as DecodedLogs;
}

/** Returns the `log.record.uid` of all log records of a protobuf body. */
export function otlpRecordIds(body: Uint8Array): string[] {
  const records = decode(body).resourceLogs.flatMap(({ scopeLogs }) =>
    scopeLogs.flatMap(({ logRecords }) => logRecords),
  );
  return records.map(
    ({ attributes }) => attributes.find(({ key }) => key === 'log.record.uid')?.value?.stringValue ?? '',
  );
}
