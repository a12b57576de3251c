import type { ServerInterceptor } from '@grpc/grpc-js';
import type { Fault } from '../../../core/event/fault.js';
import type { EndpointGuard } from '../../http/endpoint-guard.js';
import type { GrpcWatch } from './grpc-watch.js';
import { sendGrpcFault } from './send-grpc-fault.js';

/** What the calls of an endpoint are bounded by. */
export interface GrpcBounds {
  readonly guard: EndpointGuard;
  readonly watch: GrpcWatch;
  /** Hears what calls are answered that are refused before they are handled. */
  readonly onRefused: (fault: Fault) => void;
}

/** Tells the watch when calls begin, have arrived and end, and answers RESOURCE_EXHAUSTED to a client that sends more of them than it may. */
export function boundsInterceptor(
  grpc: typeof import('@grpc/grpc-js'),
  { guard, watch, onRefused }: GrpcBounds,
): ServerInterceptor {
  return (_method, call) => {
    const connection = watch.of(call.getConnectionInfo());
    const refuse = (fault: Fault): void => {
      onRefused(fault);
      one?.end();
      sendGrpcFault(call, fault, new grpc.Metadata());
    };
    const one = connection?.begin(refuse);
    return new grpc.ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata(metadata, pass) {
            const refusal = connection && guard.refusalOf(connection.socket);
            if (refusal === undefined) pass(metadata);
            else refuse(refusal);
          },
          onReceiveHalfClose(pass) {
            one?.arrived();
            pass();
          },
          onCancel: () => one?.end(),
        }),
      sendStatus(status, next) {
        one?.end();
        next(status);
      },
    });
  };
}
