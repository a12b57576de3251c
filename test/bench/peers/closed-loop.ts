import { once } from 'node:events';
import { connect } from 'node:http2';
import { beginCall, messageFrame } from '../../collector/receivers/otlp/grpc-call.js';
import { openLoneClient } from '../lone-client.js';
import type { FreshBodies } from './fresh-bodies.js';

/** Requests over a few connections, each sent when its connection has the response to the one before. */
export interface ClosedLoop {
  readonly url: string;
  /** `grpc` sends each body as a message of the OTLP logs service. */
  readonly contentType: 'application/json' | 'application/x-ndjson' | 'application/x-protobuf' | 'grpc' | 'envelope';
  readonly bodies: FreshBodies;
  readonly connections: number;
}

interface Connection {
  /** Resolves after a response of success; rejects for any other. */
  post(body: Buffer): Promise<unknown>;
  close(): void;
}

/** Connects, posts for a time, and returns the records accepted per second and in all. */
export async function runClosedLoop(
  { url, contentType, bodies, connections }: ClosedLoop,
  seconds: number,
): Promise<{ records: number; perSecond: number }> {
  const open = (): Promise<Connection> =>
    contentType === 'grpc'
      ? openGrpcClient(url)
      : openLoneClient(url, [
          `content-type: ${contentType === 'envelope' ? 'application/x-sentry-envelope' : contentType}`,
          'prefer: return=minimal',
        ]);
  const clients = await Promise.all(Array.from({ length: connections }, open));
  const began = performance.now();
  let records = 0;
  const post = async (client: Connection): Promise<void> => {
    while (performance.now() - began < seconds * 1000) {
      await client.post(bodies.next());
      records += bodies.records;
    }
  };
  await Promise.all(clients.map(post));
  const perSecond = (records * 1000) / (performance.now() - began);
  for (const client of clients) client.close();
  return { records, perSecond };
}

async function openGrpcClient(url: string): Promise<Connection> {
  const session = connect(url);
  await once(session, 'connect');
  return {
    post: async (body) => {
      const call = beginCall(session);
      call.stream.end(messageFrame(body));
      const status = await call.status;
      if (status !== '0') throw new Error(`${url} returned the gRPC status ${status}`);
    },
    close: () => session.close(),
  };
}
