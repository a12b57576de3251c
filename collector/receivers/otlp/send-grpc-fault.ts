import type { Metadata, ServerInterceptingCallInterface } from '@grpc/grpc-js';
import type { Fault } from '../../../core/event/fault.js';
import { grpcFaultOf } from './grpc-fault.js';

const STATUS_DETAILS = 'grpc-status-details-bin';

/** Ends a call that was not handled yet with the status of a fault; `metadata` is empty, for the answer. */
export function sendGrpcFault(
  call: Pick<ServerInterceptingCallInterface, 'sendStatus'>,
  fault: Fault,
  metadata: Metadata,
): void {
  const { code, details, statusDetails } = grpcFaultOf(fault);
  metadata.set(STATUS_DETAILS, statusDetails);
  call.sendStatus({ code, details, metadata });
}
