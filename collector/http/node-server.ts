import { createServer, type RequestListener, type Server } from 'node:http';
import { Server as NetServer } from 'node:net';

/** Pooled clients keep connections for about a minute: whoever closes first makes them lose a request, so it is not us. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const HEADERS_TIMEOUT_MS = 70_000;
/** Bounds a sender who keeps just ahead of the stall timeout of a body. */
const REQUEST_TIMEOUT_MS = 300_000;
/** Bounds a reader who takes nothing of a long answer. */
const SOCKET_TIMEOUT_MS = 120_000;
const TIMEOUT_CHECK_INTERVAL_MS = 5_000;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADERS = 100;

/** Builds a server with our bounds on connections and headers; it does not listen yet. */
export function createNodeServer(onRequest: RequestListener): Server {
  const server = createServer(
    {
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    onRequest,
  );
  server.maxHeadersCount = MAX_HEADERS;
  server.timeout = SOCKET_TIMEOUT_MS;
  return server;
}

/**
 * Takes no new connections and leaves those that are there alone, also idle ones, which `server.close` of node:http would reset at once.
 * Resolves when the last of them is gone.
 */
export function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    NetServer.prototype.close.call(server, () => resolve());
  });
}
