import { createServer, type RequestListener, type Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { methodNotAllowed } from '../messages/http-fault.js';
import { answerRaw } from '../messages/problem.js';
import { holdContinue } from '../messages/read-body.js';

/** Limits clients that stop reading a long response. */
const SOCKET_TIMEOUT_MS = 120_000;
/** Upper bound on how late a request timeout is noticed. */
const TIMEOUT_CHECK_INTERVAL_MS = 1_000;
const MAX_HEADER_BYTES = 16 * 1024;
/** node:http silently drops headers beyond a limit; `checkRequestShape` refuses such requests instead. */
export const MAX_HEADERS = 100;

/** Creates a server with our limits on headers; `EndpointTransport` sets its timeouts. */
export function createNodeServer(onRequest: RequestListener): Server {
  const server = createServer(
    {
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    onRequest,
  );
  // One more than allowed, so that an excess is detected.
  server.maxHeadersCount = MAX_HEADERS + 1;
  server.on('checkContinue', (request, response) => {
    holdContinue(request, response);
    onRequest(request, response);
  });
  // By default node closes the connection without a response.
  server.on('connect', (request, socket) => answerRaw(socket, methodNotAllowed(request.method, ['GET', 'POST'])));
  server.timeout = SOCKET_TIMEOUT_MS;
  return server;
}

/** Stops listening and keeps connections, also idle ones, which `server.close` of node:http would reset. Resolves when the last one is closed. */
export function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    NetServer.prototype.close.call(server, () => resolve());
  });
}
