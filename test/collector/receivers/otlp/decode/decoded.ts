import type {
  OtlpBadRecord,
  OtlpEncoding,
  OtlpLogRecord,
  OtlpSpan,
} from '../../../../../collector/otlp/otlp-records.js';
import { decodeLogs, decodeTraces } from '../../../../../collector/receivers/otlp/decode/decode.js';

const MAX_MEMBERS = 10_000;

/** A decoded request. */
export interface Decoded<Item> {
  readonly records: Item[];
  readonly bad: OtlpBadRecord[];
  readonly partSizes: number[];
}

async function collect<Item extends object>(parts: AsyncIterable<(Item | OtlpBadRecord)[]>): Promise<Decoded<Item>> {
  const decoded: Decoded<Item> = { records: [], bad: [], partSizes: [] };
  for await (const part of parts) {
    for (const found of part) {
      if ('reason' in found) decoded.bad.push(found);
      else decoded.records.push(found);
    }
    decoded.partSizes.push(part.length);
  }
  return decoded;
}

/** Decodes the log records of a body; the default encoding is protobuf for a Buffer, JSON otherwise. */
export function logsOf(body: Buffer | object, encoding?: OtlpEncoding): Promise<Decoded<OtlpLogRecord>> {
  return collect(decodeLogs(bytesOf(body), encoding ?? encodingOf(body), MAX_MEMBERS));
}

/** Decodes the spans of a body; the default encoding is protobuf for a Buffer, JSON otherwise. */
export function spansOf(body: Buffer | object, encoding?: OtlpEncoding): Promise<Decoded<OtlpSpan>> {
  return collect(decodeTraces(bytesOf(body), encoding ?? encodingOf(body), MAX_MEMBERS));
}

/** Decodes a request that contains only this log record. */
export async function logOf(record: object): Promise<OtlpLogRecord> {
  const { records } = await logsOf(logsRequest([record]));
  const [first] = records;
  if (first === undefined || records.length > 1) throw new Error(`${records.length} records`);
  return first;
}

/** A request in OTLP JSON with these log records in one resource and scope. */
export function logsRequest(logRecords: readonly unknown[]): object {
  return { resourceLogs: [{ scopeLogs: [{ logRecords }] }] };
}

/** The request in JSON, padded to more bytes than are parsed in one step. */
export function enlarged(request: object): Buffer {
  return Buffer.from(JSON.stringify({ padding: 'x'.repeat(300_000), ...request }));
}

function bytesOf(body: Buffer | object): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
}

function encodingOf(body: Buffer | object): OtlpEncoding {
  return Buffer.isBuffer(body) ? 'protobuf' : 'json';
}
