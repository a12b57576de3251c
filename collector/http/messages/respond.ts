import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { wellFormedJson } from '../../../config/values/well-formed-json.js';

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
  const sent = wellFormed(body);
  response.writeHead(status, jsonHeaders(sent, headers));
  response.end(sent);
}

/** Sends JSON in pieces with backpressure; stops when the client leaves. */
export async function sendJsonPieces(
  response: ServerResponse,
  status: number,
  given: readonly string[],
  headers: OutgoingHttpHeaders,
): Promise<void> {
  if (given.length <= MAX_PIECES_OF_ONE_WRITE) {
    sendJson(response, status, given.join(''), headers);
    return;
  }
  const pieces = given.map(wellFormedJson);
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
  const sent = wellFormed(body);
  response.writeHead(status, jsonHeaders(sent, { ...headers, connection: 'close' }));
  response.write(sent);
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  request.once('end', end).once('close', end).resume();
}

/** Bytes are not JSON, or were read from a file. */
function wellFormed(body: string | Uint8Array): string | Uint8Array {
  return typeof body === 'string' ? wellFormedJson(body) : body;
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
