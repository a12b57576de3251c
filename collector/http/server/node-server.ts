import { createServer, type RequestListener, type Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { methodNotAllowed } from '../messages/http-fault.js';
import { answerRaw } from '../messages/raw-response.js';
import { holdContinue } from '../messages/read-body.js';
import { MAX_HEADERS } from '../messages/request-guard.js';

/** Bounds a reader who takes nothing of a long answer. */
const SOCKET_TIMEOUT_MS = 120_000;
/** How late a request that takes too long may be noticed. */
const TIMEOUT_CHECK_INTERVAL_MS = 1_000;
const MAX_HEADER_BYTES = 16 * 1024;

/** Builds a server with our bounds on headers; it does not listen yet. Those on time are the endpoint's. */
export function createNodeServer(onRequest: RequestListener): Server {
  const server = createServer(
    {
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    onRequest,
  );
  // One more than is taken, so that it is seen where there are more.
  server.maxHeadersCount = MAX_HEADERS + 1;
  server.on('checkContinue', (request, response) => {
    holdContinue(request, response);
    onRequest(request, response);
  });
  // Else the connection would be closed without a word.
  server.on('connect', (request, socket) => answerRaw(socket, methodNotAllowed(request.method, ['GET', 'POST'])));
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
