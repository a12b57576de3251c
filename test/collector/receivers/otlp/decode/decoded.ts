import type {
  OtlpBadRecord,
  OtlpEncoding,
  OtlpLogRecord,
  OtlpSpan,
} from '../../../../../collector/otlp/otlp-records.js';
import { decodeLogs, decodeTraces } from '../../../../../collector/receivers/otlp/decode/decode.js';

const MAX_MEMBERS = 10_000;

/** All parts of a request as one. */
export interface Decoded<Item> {
  readonly records: Item[];
  readonly bad: OtlpBadRecord[];
  readonly partSizes: number[];
}

async function gather<Item extends object>(parts: AsyncIterable<(Item | OtlpBadRecord)[]>): Promise<Decoded<Item>> {
  const all: Decoded<Item> = { records: [], bad: [], partSizes: [] };
  for await (const part of parts) {
    for (const found of part) {
      if ('reason' in found) all.bad.push(found);
      else all.records.push(found);
    }
    all.partSizes.push(part.length);
  }
  return all;
}

/** The log records of a body: bytes are protobuf unless `encoding` says otherwise, anything else becomes JSON. */
export function logsOf(body: Buffer | object, encoding?: OtlpEncoding): Promise<Decoded<OtlpLogRecord>> {
  return gather(decodeLogs(bytesOf(body), encoding ?? encodingOf(body), MAX_MEMBERS));
}

/** The spans of a body likewise. */
export function spansOf(body: Buffer | object, encoding?: OtlpEncoding): Promise<Decoded<OtlpSpan>> {
  return gather(decodeTraces(bytesOf(body), encoding ?? encodingOf(body), MAX_MEMBERS));
}

/** The first log record of a request that has none but this one. */
export async function logOf(record: object): Promise<OtlpLogRecord> {
  const { records } = await logsOf(logsRequest([record]));
  const [first] = records;
  if (first === undefined || records.length > 1) throw new Error(`${records.length} records`);
  return first;
}

/** A request of log records in JSON, of one resource and scope. */
export function logsRequest(logRecords: readonly unknown[]): object {
  return { resourceLogs: [{ scopeLogs: [{ logRecords }] }] };
}

/** The same JSON body made larger than what is parsed in one go. */
export function enlarged(request: object): Buffer {
  return Buffer.from(JSON.stringify({ padding: 'x'.repeat(300_000), ...request }));
}

function bytesOf(body: Buffer | object): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
}

function encodingOf(body: Buffer | object): OtlpEncoding {
  return Buffer.isBuffer(body) ? 'protobuf' : 'json';
}
