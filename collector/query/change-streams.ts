import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ChangeOptions, ChangePosition, FailureChanges, IssueChange } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import { within } from '../../core/within.js';

export type ChangeStreams = ReturnType<typeof createChangeStreams>;

/** Limits for clients that read slowly. */
export interface StreamBounds {
  /** Interval of heartbeats, milliseconds, default 15,000. */
  readonly heartbeatMs?: number;
  /** Bytes that may be buffered for one client, default 256 KiB. */
  readonly maxWaitingBytes?: number;
  /** Milliseconds in which a client must drain a larger buffer, default 2,000; then it is dropped. */
  readonly patienceMs?: number;
}

const MAX_STREAMS = 100;
/** How long a dropped client has to receive the last event. */
const LINGER_MS = 10_000;
/** Reconnection delay for clients, milliseconds. */
const RETRY_MS = 1_000;

/** Server-sent events (WHATWG HTML, 9.2) for changes; a slow client gets fewer of them, and one that stops reading is dropped. */
export function createChangeStreams(feed: () => FailureChanges, bounds: StreamBounds) {
  const { heartbeatMs = 15_000, maxWaitingBytes = 256 * 1024, patienceMs = 2_000 } = bounds;
  const open = new Set<AbortController>();
  let isClosed = false;

  /** Serves one stream; before anything is sent, throws `TOO_MANY_STREAMS`, `COLLECTOR_STOPPING` and what `changes` throws. */
  async function serve(
    { method }: IncomingMessage,
    response: ServerResponse,
    options: Pick<ChangeOptions, 'query' | 'after'>,
  ): Promise<void> {
    if (isClosed) throw new Fault('COLLECTOR_STOPPING', 'the collector is stopping', { retryable: true });
    if (open.size >= MAX_STREAMS) {
      const sentence = `${MAX_STREAMS} streams are open, which is the limit: close one`;
      throw new Fault('TOO_MANY_STREAMS', sentence, { retryable: true });
    }
    const stop = new AbortController();
    const leave = (): void => stop.abort();
    response.once('close', leave);
    open.add(stop);
    try {
      const changes = feed().changes({ ...options, signal: stop.signal });
      await send(changes, response, { isHead: method === 'HEAD', stopped: stop.signal });
    } finally {
      stop.abort();
      open.delete(stop);
    }
  }

  /** Ends all streams and refuses new ones. */
  function close(): void {
    isClosed = true;
    for (const stop of open) stop.abort();
  }

  async function send(
    changes: AsyncIterable<IssueChange | ChangePosition>,
    response: ServerResponse,
    { isHead, stopped }: { isHead: boolean; stopped: AbortSignal },
  ): Promise<void> {
    let heartbeat: NodeJS.Timeout | undefined;
    try {
      for await (const change of changes) {
        if (!response.headersSent) begin(response);
        if (isHead) break;
        heartbeat ??= setInterval(() => {
          if (!response.writableNeedDrain) response.write(': still here\n\n');
        }, heartbeatMs);
        response.write(eventText(change));
        if (response.writableLength > maxWaitingBytes && !(await waitForDrain(response, stopped))) break;
      }
    } finally {
      clearInterval(heartbeat);
    }
    if (response.destroyed) return;
    // A client that does not read would never receive the end, and a stop must not wait for it.
    if (stopped.aborted && response.writableNeedDrain) response.destroy();
    else response.end();
  }

  /** Waits until the buffer is drained; on a timeout sends `dropped` and returns false. */
  async function waitForDrain(response: ServerResponse, stopped: AbortSignal): Promise<boolean> {
    await within(
      patienceMs,
      once(response, 'drain', { signal: stopped }).catch(() => undefined),
    );
    if (stopped.aborted) return false;
    if (!response.writableNeedDrain) return true;
    response.write('event: dropped\ndata: {"reason":"the client did not read; reconnect with the last event id"}\n\n');
    const { socket } = response;
    const timer = setTimeout(() => socket?.destroy(), LINGER_MS).unref();
    response.once('close', () => clearTimeout(timer));
    return false;
  }

  return { serve, close };
}

function begin(response: ServerResponse): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // Tells nginx not to buffer.
    'x-accel-buffering': 'no',
  });
  response.write(`retry: ${RETRY_MS}\n\n`);
}

/** A block without data only sets the last event id. */
function eventText(change: IssueChange | ChangePosition): string {
  const { kind, cursor } = change;
  if ('issue' in change) return `event: issue.${kind}\nid: ${cursor}\ndata: ${JSON.stringify(change.issue)}\n\n`;
  return kind === 'reset' ? `event: reset\nid: ${cursor}\ndata: {}\n\n` : `id: ${cursor}\n\n`;
}
