import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { getHeapSnapshot } from 'node:v8';

/** As long as every other connection may be silent. */
const STALL_MS = 120_000;

/**
 * Streams a heap snapshot of this thread, which Chromium's developer tools read. The process stands still while V8 walks the heap. Resolves also where the reader
 * goes away.
 */
export async function sendHeapSnapshot(response: ServerResponse, headers: OutgoingHttpHeaders): Promise<void> {
  await sendStream(getHeapSnapshot(), response, headers);
}

/** Sends JSON as it comes. A reader that takes nothing for `stallMs` is left: it would hold the turn of all others, and the memory of what it was to read. */
export async function sendStream(
  source: Readable,
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
  stallMs: number = STALL_MS,
): Promise<void> {
  response.writeHead(200, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  // Nothing goes over the socket before the first piece is there, however long that takes.
  source.once('data', () => response.socket?.setTimeout(stallMs));
  await pipeline(source, response).catch((error: unknown) => {
    if (!response.destroyed) throw error;
  });
}
