import type { Metadata, ServerInterceptor, ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import type { GrpcAnswerer } from './grpc-connections.js';

type Grpc = typeof import('@grpc/grpc-js');

/** How calls are answered. */
export interface GrpcServerOptions<Method> {
  /** What is called at which path. */
  readonly methods: readonly (readonly [Method, string])[];
  /** Of one message, after decompression. */
  readonly maxMessageBytes: number;
  /** Of one connection. */
  readonly maxConcurrentCalls: number;
  /** How long a connection is kept without a call, milliseconds. */
  readonly idleMs: number;
  /** The first is asked first. */
  readonly interceptors: (grpc: Grpc) => ServerInterceptor[];
  /** Answers one call; `metadata` is empty, for the answer. */
  readonly handle: (
    method: Method,
    call: ServerUnaryCall<Buffer, Buffer>,
    answer: sendUnaryData<Buffer>,
    metadata: Metadata,
  ) => void;
}

const asItIs = (bytes: Buffer): Buffer => bytes;

/** Loads the library, and builds a server that listens on nothing. */
export async function loadGrpcServer<Method>(options: GrpcServerOptions<Method>): Promise<GrpcAnswerer> {
  const grpc = await import('@grpc/grpc-js');
  // It prints to the terminal what it also throws.
  grpc.setLogVerbosity(grpc.logVerbosity.NONE);
  const server = new grpc.Server({
    'grpc.max_receive_message_length': options.maxMessageBytes,
    'grpc.max_send_message_length': options.maxMessageBytes,
    'grpc.max_concurrent_streams': options.maxConcurrentCalls,
    'grpc.max_connection_idle_ms': options.idleMs,
    interceptors: options.interceptors(grpc),
  });
  for (const [method, path] of options.methods) {
    const handle = (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>): void =>
      options.handle(method, call, answer, new grpc.Metadata());
    server.register(path, handle, asItIs, asItIs, 'unary');
  }
  const injector = server.createConnectionInjector(grpc.ServerCredentials.createInsecure());
  return {
    take: (connection) => injector.injectConnection(connection),
    async close(timeoutMs) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        server.tryShutdown(() => {
          clearTimeout(timer);
          resolve();
        });
      });
      server.forceShutdown();
    },
  };
}
