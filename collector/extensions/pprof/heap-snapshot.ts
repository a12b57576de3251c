import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { getHeapSnapshot } from 'node:v8';

/**
 * Streams a heap snapshot of this thread, which Chromium's developer tools read. The process stands still while V8 walks the heap. Resolves also where the reader
 * goes away.
 */
export async function sendHeapSnapshot(response: ServerResponse, headers: OutgoingHttpHeaders): Promise<void> {
  const snapshot = getHeapSnapshot();
  response.writeHead(200, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  await pipeline(snapshot, response).catch((error: unknown) => {
    if (!response.destroyed) throw error;
  });
}
