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

/**
 * A log record with an exception of 18 frames, about 1.8 kB as JSON. It has no trace id, because a load repeats bodies and a repeated
 * record of a trace is stored once.
 */
function record(serial: number, kinds: number): object {
  const event = sampleEvent(serial % kinds, serial);
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
  };
}

function request(first: number, count: number, kinds: number): object {
  const logRecords = Array.from({ length: count }, (_, index) => record(first + index, kinds));
  const attributes = [
    attribute('service.name', { stringValue: 'checkout' }),
    attribute('service.version', { stringValue: 'v2.4.1' }),
    attribute('deployment.environment.name', { stringValue: 'production' }),
  ];
  const scopeLogs = [{ scope: { name: 'bench', version: '1.0.0' }, logRecords }];
  return { resourceLogs: [{ resource: { attributes }, scopeLogs }] };
}

/** Encodes log records as an OTLP/JSON body. */
export function otlpJsonBody(first: number, count: number, kinds: number): Buffer {
  return Buffer.from(JSON.stringify(request(first, count, kinds)));
}

/** Encodes log records as a protobuf body. */
export function otlpProtobufBody(first: number, count: number, kinds: number): Buffer {
  return encodeByOracle('logs', request(first, count, kinds));
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

/** Returns the log records per second that protobufjs decodes, measured for a second. */
export function protobufFloor(bodies: readonly Buffer[]): number {
  return floor(bodies, (body) => {
    const { resourceLogs } = decode(body);
    return resourceLogs[0]?.scopeLogs[0]?.logRecords.length ?? 0;
  });
}

/** Returns the log records per second that `JSON.parse` decodes, measured for a second. */
export function jsonFloor(bodies: readonly Buffer[], recordsPerBody: number): number {
  return floor(bodies, (body) => {
    JSON.parse(body.toString('utf8'));
    return recordsPerBody;
  });
}

function floor(bodies: readonly Buffer[], decodeBody: (body: Buffer) => number): number {
  const began = performance.now();
  let records = 0;
  while (performance.now() - began < 1000) for (const body of bodies) records += decodeBody(body);
  return (records * 1000) / (performance.now() - began);
}
