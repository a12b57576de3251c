import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ChangeOptions, ChangePosition, FailureChanges, IssueChange } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';

/** How much readers of changes may be behind. */
export interface StreamBounds {
  /** Milliseconds between two signs of life on a quiet stream, default 15,000. */
  readonly heartbeatMs?: number;
  /** Bytes that may wait for one reader in this process, default 256 KiB. */
  readonly maxWaitingBytes?: number;
  /** Milliseconds in which a reader for whom more waits must take it, default 2,000; then it is dropped. */
  readonly patienceMs?: number;
}

const MAX_STREAMS = 100;
/** How long a dropped reader has to take the last words. */
const LINGER_MS = 10_000;
/** Milliseconds after which a reader that was cut off should come again. */
const RETRY_MS = 1_000;

/**
 * Server-sent events (WHATWG HTML, 9.2) of what changes. A reader that takes them slowly is told less often, each time the latest; one that takes nothing any more is told so
 * and dropped. `close` ends all streams at once.
 */
export class ChangeStreams {
  readonly #changes: () => FailureChanges;
  readonly #bounds: StreamBounds;
  readonly #open = new Set<AbortController>();
  #isClosed = false;

  constructor(changes: () => FailureChanges, bounds: StreamBounds) {
    this.#changes = changes;
    this.#bounds = bounds;
  }

  /** Answers one request until its reader goes away. Throws, before anything is sent, `TOO_MANY_STREAMS`, `COLLECTOR_STOPPING` and what the first step of `changes` throws. */
  async serve(
    { method }: IncomingMessage,
    response: ServerResponse,
    options: Pick<ChangeOptions, 'query' | 'after'>,
  ): Promise<void> {
    if (this.#isClosed) throw new Fault('COLLECTOR_STOPPING', 'the collector is stopping', { retryable: true });
    if (this.#open.size >= MAX_STREAMS) {
      const sentence = `${MAX_STREAMS} streams are open, which is the most there may be: close one`;
      throw new Fault('TOO_MANY_STREAMS', sentence, { retryable: true });
    }
    const stop = new AbortController();
    const leave = (): void => stop.abort();
    response.once('close', leave);
    this.#open.add(stop);
    try {
      const changes = this.#changes().changes({ ...options, signal: stop.signal });
      await this.#send(changes, response, { isHead: method === 'HEAD', stopped: stop.signal });
    } finally {
      stop.abort();
      this.#open.delete(stop);
    }
  }

  /** Ends all streams; no more are opened. */
  close(): void {
    this.#isClosed = true;
    for (const stop of this.#open) stop.abort();
  }

  async #send(
    changes: AsyncIterable<IssueChange | ChangePosition>,
    response: ServerResponse,
    { isHead, stopped }: { isHead: boolean; stopped: AbortSignal },
  ): Promise<void> {
    const { heartbeatMs = 15_000, maxWaitingBytes = 256 * 1024 } = this.#bounds;
    let heartbeat: NodeJS.Timeout | undefined;
    try {
      for await (const change of changes) {
        if (!response.headersSent) begin(response);
        if (isHead) break;
        heartbeat ??= setInterval(() => {
          if (!response.writableNeedDrain) response.write(': still here\n\n');
        }, heartbeatMs);
        response.write(eventText(change));
        if (response.writableLength > maxWaitingBytes && !(await this.#isTaken(response, stopped))) break;
      }
    } finally {
      clearInterval(heartbeat);
    }
    if (response.destroyed) return;
    // A client that does not read would not see the end either, and a stop must not wait for it.
    if (stopped.aborted && response.writableNeedDrain) response.destroy();
    else response.end();
  }

  /** Waits until a reader has taken what waits for it; where it does not, says so to it and answers false. */
  async #isTaken(response: ServerResponse, stopped: AbortSignal): Promise<boolean> {
    const { patienceMs = 2_000 } = this.#bounds;
    const isTaken = await new Promise<boolean>((resolve) => {
      const settle = (): void => {
        clearTimeout(timer);
        response.off('drain', settle);
        stopped.removeEventListener('abort', settle);
        resolve(!response.writableNeedDrain || stopped.aborted);
      };
      const timer = setTimeout(settle, patienceMs);
      response.once('drain', settle);
      stopped.addEventListener('abort', settle);
    });
    if (isTaken) return !stopped.aborted;
    response.write('event: dropped\ndata: {"reason":"what was sent was not taken; come again with the last id"}\n\n');
    const { socket } = response;
    const timer = setTimeout(() => socket?.destroy(), LINGER_MS).unref();
    response.once('close', () => clearTimeout(timer));
    return false;
  }
}

function begin(response: ServerResponse): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // Some proxies wait for more before they pass anything on.
    'x-accel-buffering': 'no',
  });
  response.write(`retry: ${RETRY_MS}\n\n`);
}

/** A block without data only sets the id with which a reader comes again. */
function eventText(change: IssueChange | ChangePosition): string {
  const { kind, cursor } = change;
  if ('issue' in change) return `event: issue.${kind}\nid: ${cursor}\ndata: ${JSON.stringify(change.issue)}\n\n`;
  return kind === 'reset' ? `event: reset\nid: ${cursor}\ndata: {}\n\n` : `id: ${cursor}\n\n`;
}
