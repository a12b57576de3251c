import { knownId, SPAN_ID_LENGTH, TRACE_ID_LENGTH } from './known-id.js';
import type { ProtobufReader } from './protobuf-reader.js';

const scratch = new DataView(new ArrayBuffer(8));

/** A fixed64, exactly. */
export function readNanos(reader: ProtobufReader): bigint {
  const { high, low } = reader.fixed64();
  // A third of the time that shifting and joining two BigInts takes.
  scratch.setInt32(0, high);
  scratch.setInt32(4, low);
  return scratch.getBigUint64(0);
}

/** An int64: a number where a number is exact, else its digits. */
export function readInteger(reader: ProtobufReader): number | string {
  const { high, low } = reader.int64();
  const value = high * 2 ** 32 + (low >>> 0);
  return Number.isSafeInteger(value) ? value : String((BigInt(high) << 32n) | BigInt(low >>> 0));
}

/** A bytes field as base64. */
export function readBase64(reader: ProtobufReader): string {
  return asBuffer(reader.bytes()).toString('base64');
}

/** A trace id. */
export function readTraceId(reader: ProtobufReader): string {
  return readId(reader, TRACE_ID_LENGTH);
}

/** A span id. */
export function readSpanId(reader: ProtobufReader): string {
  return readId(reader, SPAN_ID_LENGTH);
}

function readId(reader: ProtobufReader, length: number): string {
  const bytes = reader.bytes();
  return bytes.length * 2 === length ? knownId(asBuffer(bytes).toString('hex'), length) : '';
}

/** protobufjs gives a view of the body it was given, which is a Buffer, but says so less closely. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes);
}
