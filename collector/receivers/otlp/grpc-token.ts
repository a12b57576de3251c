import type { Metadata, ServerInterceptor } from '@grpc/grpc-js';
import type { Authenticator } from '../../http/authenticator.js';
import { grpcFaultOf } from './grpc-fault.js';

const STATUS_DETAILS = 'grpc-status-details-bin';

/** Answers UNAUTHENTICATED to calls without a valid token in their metadata `authorization`, before their message is read. */
export function tokenInterceptor(grpc: typeof import('@grpc/grpc-js'), caller: Authenticator): ServerInterceptor {
  return (_method, call) =>
    new grpc.ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata(metadata, pass) {
            const refusal = caller.refusalOf(authorizationOf(metadata));
            if (refusal === undefined) {
              pass(metadata);
              return;
            }
            const { code, details, statusDetails } = grpcFaultOf(refusal);
            const trailers = new grpc.Metadata();
            trailers.set(STATUS_DETAILS, statusDetails);
            call.sendStatus({ code, details, metadata: trailers });
          },
        }),
    });
}

function authorizationOf(metadata: Metadata): string | undefined {
  const [value] = metadata.get('authorization');
  return typeof value === 'string' ? value : undefined;
}
