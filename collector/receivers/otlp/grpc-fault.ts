import type { Fault } from '../../../core/event/fault.js';
import { encodeBytesField } from './number-text-message.js';
import { rpcCodeOf } from './rpc-code.js';
import { encodeStatus } from './status-body.js';

/** What a failed call is answered with. */
export interface GrpcFault {
  readonly code: number;
  readonly details: string;
  /** Value of `grpc-status-details-bin`. */
  readonly statusDetails: Buffer;
}

const UNAVAILABLE = 14;
const RETRY_INFO_URL = 'type.googleapis.com/google.rpc.RetryInfo';
/** RetryInfo of one second: field 1 is a Duration, whose field 1 are the seconds. */
const RETRY_IN_A_SECOND = Buffer.from([0x0a, 0x02, 0x08, 0x01]);

/** Field 3 of google.rpc.Status: an Any with a type and a value. */
const RETRY_DETAIL = encodeBytesField(
  3,
  Buffer.concat([encodeBytesField(1, Buffer.from(RETRY_INFO_URL)), encodeBytesField(2, RETRY_IN_A_SECOND)]),
);

/** The answer to a failed call: clients try UNAVAILABLE again, after the second that its RetryInfo names, and nothing else. */
export function grpcFaultOf(fault: Fault): GrpcFault {
  const code = rpcCodeOf(fault);
  const status = Buffer.from(encodeStatus('protobuf', code, fault.message));
  const parts = code === UNAVAILABLE ? [status, RETRY_DETAIL] : [status];
  return { code, details: fault.message, statusDetails: Buffer.concat(parts) };
}
