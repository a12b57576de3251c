import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** How long an early answer waits for its sender to stop sending before the connection is closed. */
const LINGER_MS = 1_000;
/** So few pieces are sent as one text: one write is what the hot path costs least with. */
const PIECES_OF_SHORT_ANSWER = 3;

/** Sends a whole answer, JSON unless `headers` name another content type. Every answer forbids caching and content sniffing. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: string | Uint8Array,
  headers: OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, jsonHeaders(body, headers));
  response.end(body);
}

/** Sends a JSON text that may be long, piece by piece, as fast as it is taken; a reader that goes away ends it. */
export async function sendJsonPieces(
  response: ServerResponse,
  status: number,
  pieces: readonly string[],
  headers: OutgoingHttpHeaders,
): Promise<void> {
  if (pieces.length <= PIECES_OF_SHORT_ANSWER) {
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
    // The answer itself hears nothing while it waits behind another one.
    socket.once('close', done);
  });
}

/**
 * Sends an answer to a request whose body may not have been read. While a sender is still writing, closing at once would reset the connection
 * and take the answer with it: the answer goes out first, what still arrives is thrown away for a moment, then the connection ends.
 */
export function sendEarly(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: string | Uint8Array,
  headers: OutgoingHttpHeaders,
): void {
  if (request.complete || !hasBody(request)) {
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
