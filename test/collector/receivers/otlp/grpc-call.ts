import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';

/** The method that takes log records. */
export const LOGS_METHOD = '/opentelemetry.proto.collector.logs.v1.LogsService/Export';

/** A gRPC call over a connection of HTTP/2. */
export interface GrpcCall {
  readonly stream: ClientHttp2Stream;
  /** The status, once it has arrived. */
  readonly said: { status?: string };
  /** The status; undefined where the call was closed without one. */
  readonly status: Promise<string | undefined>;
}

/** Begins a call of the method for logs, whose message is still to come. */
export function beginCall(session: ClientHttp2Session, headers: object = {}): GrpcCall {
  const own = { ':method': 'POST', ':path': LOGS_METHOD, 'content-type': 'application/grpc', te: 'trailers' };
  const stream = session.request({ ...own, ...headers });
  const said: { status?: string } = {};
  const status = new Promise<string | undefined>((resolve) => {
    const tell = (answer: object): void => {
      if (!('grpc-status' in answer)) return;
      said.status = String(answer['grpc-status']);
      resolve(said.status);
    };
    stream.on('response', tell).on('trailers', tell);
    stream.on('error', () => undefined).on('close', () => resolve(undefined));
    stream.resume();
  });
  return { stream, said, status };
}

/** The bytes of a message in a call; `isCompressed` only sets the flag that says so. */
export function messageFrame(message: Uint8Array, isCompressed = false): Buffer {
  const prefix = Buffer.from([isCompressed ? 1 : 0, 0, 0, 0, 0]);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}
