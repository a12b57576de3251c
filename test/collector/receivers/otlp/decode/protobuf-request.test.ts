import { openProtobufReader } from '../../../../../collector/otlp/protobuf-reader.js';
import type { OtlpSignal } from '../../../../../collector/receivers/otlp/decode/otlp-failure.js';
import { LOG_RECORD, SPAN } from '../../../../../collector/receivers/otlp/decode/otlp-messages.js';
import { protobufSteps } from '../../../../../collector/receivers/otlp/decode/protobuf-request.js';
import { bytesField, logsBody, tag, varintField } from './wire.js';

async function decode(body: Buffer, signal: OtlpSignal): Promise<readonly unknown[]> {
  const reader = await openProtobufReader(body, 100);
  return [
    ...(signal === 'logs'
      ? protobufSteps(body, reader, LOG_RECORD, signal)
      : protobufSteps(body, reader, SPAN, signal)),
  ];
}

const time = (field: number): Buffer => Buffer.concat([tag(field, 1), Buffer.alloc(8, 1)]);
const id = (field: number, length: number): Buffer => bytesField(field, Buffer.alloc(length, 1));
const attribute = (field: number): Buffer => bytesField(field, bytesField(1, 'a'));

/** The envelope of all signals is the same, so `logsBody` writes any. */
const RECORDS: [string, OtlpSignal, ...Buffer[]][] = [
  ['a log record with a time', 'logs', time(1)],
  ['a log record with an observed time', 'logs', time(11)],
  ['a log record with attributes', 'logs', attribute(6)],
  ['a log record with severity and body', 'logs', varintField(2, 17), bytesField(5, bytesField(1, 'x'))],
  ['a span with a start', 'traces', id(1, 16), id(2, 8), time(7)],
  ['a span with an end', 'traces', time(8)],
  ['a span with ids', 'traces', id(1, 16), id(2, 8)],
];

describe('a request in protobuf', () => {
  it.each<[string, OtlpSignal, ...Buffer[]]>(RECORDS)('with %s belongs to the %s', async (_, signal, ...fields) => {
    const body = logsBody(Buffer.concat(fields));
    expect((await decode(body, signal)).filter((found) => found !== undefined)).toHaveLength(1);
    const other = signal === 'logs' ? 'traces' : 'logs';
    await expect(decode(body, other)).rejects.toThrow(`its first record is one of ${signal}`);
  });

  it.each<[string, OtlpSignal, ...Buffer[]]>([
    ['a log record with a body', 'logs', bytesField(5, bytesField(1, 'x'))],
    ['a span with a trace id and a name', 'traces', id(1, 16), bytesField(5, 'GET /')],
    ['a span with an empty trace id and attributes', 'traces', id(1, 0), attribute(9)],
  ])('with %s is accepted: it may be one of %s', async (_, signal, ...fields) => {
    const found = await decode(logsBody(Buffer.concat(fields)), signal);
    expect(found.filter((record) => record !== undefined)).toHaveLength(1);
  });

  it.each<OtlpSignal>(['logs', 'traces'])('with a metric does not belong to the %s', async (signal) => {
    const metric = Buffer.concat([bytesField(1, 'requests'), bytesField(7, varintField(2, 2))]);
    await expect(decode(logsBody(metric), signal)).rejects.toThrow('its first record is one of metrics');
  });

  it('pauses while it passes fields without a record, each time it does', async () => {
    const fields = 100_000;
    const unknown = Buffer.alloc(2 * fields, varintField(5, 1));
    const pauses = await decode(bytesField(1, bytesField(2, unknown)), 'logs');
    // For the envelope and the first record, then for the envelope and the records.
    expect(pauses.length).toBeGreaterThan((4 * fields) / 1_100);
  });
});
