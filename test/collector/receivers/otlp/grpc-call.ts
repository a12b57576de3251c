import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';

/** The gRPC method for log records. */
export const LOGS_METHOD = '/opentelemetry.proto.collector.logs.v1.LogsService/Export';

/** A gRPC call over an HTTP/2 session. */
export interface GrpcCall {
  readonly stream: ClientHttp2Stream;
  /** The status, once it has arrived. */
  readonly latest: { status?: string };
  /** The status; undefined if the call was closed without one. */
  readonly status: Promise<string | undefined>;
}

/** Begins a call of the method for log records; the caller writes the message. */
export function beginCall(session: ClientHttp2Session, headers: object = {}): GrpcCall {
  const own = { ':method': 'POST', ':path': LOGS_METHOD, 'content-type': 'application/grpc', te: 'trailers' };
  const stream = session.request({ ...own, ...headers });
  const latest: { status?: string } = {};
  const status = new Promise<string | undefined>((resolve) => {
    const readStatus = (response: object): void => {
      if (!('grpc-status' in response)) return;
      latest.status = String(response['grpc-status']);
      resolve(latest.status);
    };
    stream.on('response', readStatus).on('trailers', readStatus);
    stream.on('error', () => undefined).on('close', () => resolve(undefined));
    stream.resume();
  });
  return { stream, latest: latest, status };
}

/** Frames a message of a call; `isCompressed` only sets the flag. */
export function messageFrame(message: Uint8Array, isCompressed = false): Buffer {
  const prefix = Buffer.from([isCompressed ? 1 : 0, 0, 0, 0, 0]);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}
