import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** How long an early response waits for the sender to stop before the connection is closed. */
const LINGER_MS = 1_000;
/** Up to this number pieces are sent in one write, the cheapest way on the hot path. */
const MAX_PIECES_OF_ONE_WRITE = 3;

/** Sends a response, JSON unless `headers` set another content type; never cached or sniffed. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: string | Uint8Array,
  headers: OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, jsonHeaders(body, headers));
  response.end(body);
}

/** Sends JSON in pieces with backpressure; stops when the client leaves. */
export async function sendJsonPieces(
  response: ServerResponse,
  status: number,
  pieces: readonly string[],
  headers: OutgoingHttpHeaders,
): Promise<void> {
  if (pieces.length <= MAX_PIECES_OF_ONE_WRITE) {
    sendJson(response, status, pieces.join(''), headers);
    return;
  }
  const bytes = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  response.writeHead(status, { ...jsonHeaders('', headers), 'content-length': bytes });
  for (const piece of pieces) {
    if (!response.write(piece)) await drainOrClose(response);
    if (response.req.socket.destroyed) return;
  }
  response.end();
}

function drainOrClose(response: ServerResponse): Promise<void> {
  const { socket } = response.req;
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      socket.off('close', done);
      resolve();
    };
    response.once('drain', done);
    // A pipelined response is not notified, so the socket is observed.
    socket.once('close', done);
  });
}

/** Responds before the body was read and discards the rest for a moment: closing at once would reset the connection and lose the response. */
export function sendEarly(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: string | Uint8Array,
  headers: OutgoingHttpHeaders,
): void {
  if (request.readableEnded || !hasBody(request)) {
    sendJson(response, status, body, headers);
    return;
  }
  response.writeHead(status, jsonHeaders(body, { ...headers, connection: 'close' }));
  response.write(body);
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  request.once('end', end).once('close', end).resume();
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function jsonHeaders(body: string | Uint8Array, headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  };
}
