import type { Fault } from '../../../core/event/fault.js';
import { statusOf } from '../../http/fault-status.js';

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
