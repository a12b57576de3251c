import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP server on loopback that reads each request body before it responds. */
export interface BodyServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const opened: BodyServer[] = [];

/** Opens a server, on a free port by default; `closeBodyServers` closes it after the test. */
export async function openBodyServer(
  respond: (body: Buffer, request: IncomingMessage, response: ServerResponse) => void,
  port = 0,
): Promise<BodyServer> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => respond(Buffer.concat(chunks), request, response));
    request.on('error', () => undefined);
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const bound = (server.address() as AddressInfo).port;
  const bodyServer: BodyServer = {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  opened.push(bodyServer);
  return bodyServer;
}

/** For `afterEach`. */
export async function closeBodyServers(): Promise<void> {
  await Promise.all(opened.splice(0).map((server) => server.close()));
}
