import type { Fault } from '../../core/event/fault.js';
import { cutText } from '../../core/event/text.js';
import { statusOf } from '../http/messages/fault-status.js';
import type { OtlpEncoding } from './otlp-records.js';

/** What was not taken of a request that was answered with success; `rejected` 0 with a message is a warning. */
export interface PartialSuccess {
  readonly rejected: number;
  readonly message: string;
}

const REJECTED_NAME = { logs: 'rejectedLogRecords', traces: 'rejectedSpans' } as const;

/** The body of an answer 200: `{}` or no bytes at all when everything was taken (`partial` undefined), else the partial success. */
export function encodeExportResponse(
  signal: 'logs' | 'traces',
  encoding: OtlpEncoding,
  partial: PartialSuccess | undefined,
): Uint8Array | string {
  if (partial === undefined) return encoding === 'json' ? '{}' : new Uint8Array();
  const message = answerMessage(partial.message);
  if (encoding === 'protobuf') return encodeBytesField(1, encodeNumberAndText(partial.rejected, message));
  // An int64 is text in JSON.
  const partialSuccess = { [REJECTED_NAME[signal]]: String(partial.rejected), errorMessage: message };
  return JSON.stringify({ partialSuccess });
}

/** The body of every answer that is no success: a google.rpc.Status, whose `code` is one of gRPC's. The message is cut to 1,024 characters. */
export function encodeStatus(encoding: OtlpEncoding, code: number, message: string): Uint8Array | string {
  const text = answerMessage(message);
  return encoding === 'json' ? JSON.stringify({ code, message: text }) : encodeNumberAndText(code, text);
}

/** UTF-16 units of a message in an answer: whole answers stay far below the 4 MiB that clients take. */
const MAX_MESSAGE_LENGTH = 1024;

/** The message as an answer carries it. */
function answerMessage(message: string): string {
  return cutText(message, MAX_MESSAGE_LENGTH);
}

/** A protobuf message of a whole number of at least 0 in field 1 and a text in field 2, each left out when it is 0 or empty: both answers of OTLP have this form. */
function encodeNumberAndText(number: number, text: string): Uint8Array {
  const bytes = Buffer.from(text);
  return Buffer.concat([
    number === 0 ? Buffer.alloc(0) : Buffer.from([0x08, ...varint(number)]),
    bytes.length === 0 ? Buffer.alloc(0) : encodeBytesField(2, bytes),
  ]);
}

/** A protobuf field of bytes, also when there are none. */
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
  // RESOURCE_EXHAUSTED, as gRPC itself says of a message that is too large.
  [413, 8],
  [429, 8],
  [503, 14],
]);

/** Where gRPC has a code that no status of HTTP says. */
const CODE_OF_FAULT: ReadonlyMap<string, number> = new Map([
  ['RECEIVER_BUSY', 8],
  ['GRPC_METHOD_UNKNOWN', 12],
  ['GRPC_ENCODING_UNSUPPORTED', 12],
]);

/** The google.rpc.Code of a fault: what is the sender's fault and has no code of its own is INVALID_ARGUMENT, what is ours INTERNAL. */
export function rpcCodeOf(fault: Fault): number {
  const status = statusOf(fault);
  return CODE_OF_FAULT.get(fault.code) ?? CODE_OF_STATUS.get(status) ?? (status < 500 ? INVALID_ARGUMENT : INTERNAL);
}
