import type { Fault } from '../../../core/event/fault.js';
import { RequestFault } from '../../http/request-fault.js';
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

const RETRY_INFO_URL = 'type.googleapis.com/google.rpc.RetryInfo';
/** More is not worth saying. */
const MAX_RETRY_SECONDS = 127;

/** Field 3 of google.rpc.Status: an Any with a type and a value, RetryInfo: field 1 is a Duration, whose field 1 are the seconds. */
function retryDetail(seconds: number): Uint8Array {
  const retryInfo = Buffer.from([0x0a, 0x02, 0x08, Math.min(seconds, MAX_RETRY_SECONDS)]);
  return encodeBytesField(
    3,
    Buffer.concat([encodeBytesField(1, Buffer.from(RETRY_INFO_URL)), encodeBytesField(2, retryInfo)]),
  );
}

/** Seconds after which a call may be tried again; undefined where clients are not to try. */
function retrySeconds(fault: Fault): number | undefined {
  if (fault instanceof RequestFault && fault.headers['retry-after'] !== undefined) {
    return Number(fault.headers['retry-after']);
  }
  return fault.retryable ? 1 : undefined;
}

/** The answer to a failed call: clients try again what has RetryInfo, after the seconds that it names, and nothing else. What is retryable always has it. */
export function grpcFaultOf(fault: Fault): GrpcFault {
  const code = rpcCodeOf(fault);
  const status = Buffer.from(encodeStatus('protobuf', code, fault.message));
  const seconds = retrySeconds(fault);
  const parts = seconds === undefined ? [status] : [status, retryDetail(seconds)];
  return { code, details: fault.message, statusDetails: Buffer.concat(parts) };
}
