import type { Metadata, ServerInterceptor } from '@grpc/grpc-js';
import type { Authenticator } from '../../http/authenticator.js';
import { sendGrpcFault } from './send-grpc-fault.js';

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
            sendGrpcFault(call, refusal, new grpc.Metadata());
          },
        }),
    });
}

function authorizationOf(metadata: Metadata): string | undefined {
  const [value] = metadata.get('authorization');
  return typeof value === 'string' ? value : undefined;
}
