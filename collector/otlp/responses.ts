import type { Fault } from '../../core/event/fault.js';
import { cutText } from '../../core/event/text.js';
import { statusOf } from '../http/messages/http-fault.js';
import type { OtlpEncoding } from './otlp-records.js';

/** The rejected records of a successful request; `rejected` 0 with a message is a warning. */
export interface PartialSuccess {
  readonly rejected: number;
  readonly message: string;
}

const REJECTED_NAME = { logs: 'rejectedLogRecords', traces: 'rejectedSpans' } as const;

/** Encodes the body of a response 200: the partial success, or an empty message if `partial` is undefined. */
export function encodeExportResponse(
  signal: 'logs' | 'traces',
  encoding: OtlpEncoding,
  partial: PartialSuccess | undefined,
): Uint8Array | string {
  if (partial === undefined) return encoding === 'json' ? '{}' : new Uint8Array();
  const message = cutText(partial.message, MAX_MESSAGE_LENGTH);
  if (encoding === 'protobuf') return encodeBytesField(1, encodeNumberAndText(partial.rejected, message));
  // In JSON an int64 is a string.
  const partialSuccess = { [REJECTED_NAME[signal]]: String(partial.rejected), errorMessage: message };
  return JSON.stringify({ partialSuccess });
}

/** Encodes the body of a failed response: a google.rpc.Status with a gRPC code and a message of at most 1,024 characters. */
export function encodeStatus(encoding: OtlpEncoding, code: number, message: string): Uint8Array | string {
  const text = cutText(message, MAX_MESSAGE_LENGTH);
  return encoding === 'json' ? JSON.stringify({ code, message: text }) : encodeNumberAndText(code, text);
}

/** UTF-16 units; clients accept responses of up to 4 MiB. */
const MAX_MESSAGE_LENGTH = 1024;

/** Both OTLP responses have a non-negative integer in field 1 and a string in field 2; 0 and the empty string are left out. */
function encodeNumberAndText(number: number, text: string): Uint8Array {
  const bytes = Buffer.from(text);
  return Buffer.concat([
    number === 0 ? Buffer.alloc(0) : Buffer.from([0x08, ...varint(number)]),
    bytes.length === 0 ? Buffer.alloc(0) : encodeBytesField(2, bytes),
  ]);
}

/** Encodes a protobuf field of bytes, even an empty one. */
export function encodeBytesField(field: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([(field << 3) | 2, ...varint(bytes.length)]), bytes]);
}

function varint(value: number): readonly number[] {
  const groups: number[] = [];
  let rest = BigInt(value);
  while (rest > 0x7fn) {
    groups.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  return [...groups, Number(rest)];
}

const INVALID_ARGUMENT = 3;
const INTERNAL = 13;

/** google.rpc.Code by HTTP status. */
const CODE_OF_STATUS: ReadonlyMap<number, number> = new Map([
  [401, 16],
  [403, 7],
  [404, 5],
  [408, 4],
  // RESOURCE_EXHAUSTED: gRPC's own code for a message that is too large.
  [413, 8],
  [429, 8],
  [503, 14],
]);

/** Faults whose gRPC code does not follow from their HTTP status. */
const CODE_OF_FAULT: ReadonlyMap<string, number> = new Map([
  ['RECEIVER_BUSY', 8],
  ['GRPC_METHOD_UNKNOWN', 12],
  ['SIGNAL_REFUSED', 12],
  ['GRPC_ENCODING_UNSUPPORTED', 12],
]);

/** Returns the google.rpc.Code of a fault; default INVALID_ARGUMENT for a 4xx status and INTERNAL for 5xx. */
export function rpcCodeOf(fault: Fault): number {
  const status = statusOf(fault);
  return CODE_OF_FAULT.get(fault.code) ?? CODE_OF_STATUS.get(status) ?? (status < 500 ? INVALID_ARGUMENT : INTERNAL);
}
