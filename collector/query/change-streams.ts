import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { wellFormedJson } from '../../config/values/well-formed-json.js';
import type { ChangeOptions, ChangePosition, FailureChanges, IssueChange } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import { within } from '../../core/within.js';
import type { IssueSummary } from '../../generated/reader-answers.js';
import { type Counter, Meters } from '../telemetry/meters.js';

/** Limits for clients that read slowly. */
export interface StreamBounds {
  /** Interval of heartbeats, milliseconds, default 15,000. */
  readonly heartbeatMs?: number;
  /** Bytes that may be buffered for one client, default 64 KiB; those of one write may be above it. */
  readonly maxWaitingBytes?: number;
  /** Milliseconds in which a client must drain a larger buffer, default 2,000; then it is dropped. */
  readonly patienceMs?: number;
}

/** What streams are made of. */
export interface ChangeStreamsOptions extends StreamBounds {
  readonly feed: () => FailureChanges;
  /** Default: the numbers are not shown. */
  readonly meters?: Meters | undefined;
  /** Id of the extension, a label of the metrics. */
  readonly component: string;
}

/** So that all buffers together stay below 8 MiB. */
const MAX_STREAMS = 100;
/** UTF-16 units after which events are written; the last event may be above it. */
const WRITE_LENGTH = 16 * 1024;
/** How long a dropped client has to receive the last event. */
const LINGER_MS = 10_000;
/** Reconnection delay for clients, milliseconds. */
const RETRY_MS = 1_000;

/**
 * [Server-sent events](https://html.spec.whatwg.org/multipage/server-sent-events.html) for changes. Nothing is queued for a slow client:
 * it gets fewer changes, and one that stops reading is dropped.
 */
export class ChangeStreams {
  readonly #feed: () => FailureChanges;
  readonly #bounds: Required<StreamBounds>;
  readonly #open = new Set<AbortController>();
  /** JSON of issues, by the objects that all streams get from the feed, for as long as it keeps them. */
  readonly #texts = new WeakMap<IssueSummary, string>();
  readonly #dropped: Counter;
  readonly #refused: Counter;
  readonly #removeGauge: () => void;
  #isClosed = false;

  constructor({ feed, component, meters = new Meters(), ...bounds }: ChangeStreamsOptions) {
    this.#feed = feed;
    this.#bounds = { heartbeatMs: 15_000, maxWaitingBytes: 64 * 1024, patienceMs: 2_000, ...bounds };
    this.#dropped = meters.counter('faultline_query_dropped_streams', { component });
    this.#refused = meters.counter('faultline_query_refused_streams', { component });
    this.#removeGauge = meters.gauge('faultline_query_streams', { component }, () => this.#open.size);
  }

  /** Serves one stream; before anything is sent, throws `TOO_MANY_STREAMS`, `COLLECTOR_STOPPING` and what `changes` throws. */
  async serve(
    { method }: IncomingMessage,
    response: ServerResponse,
    options: Pick<ChangeOptions, 'query' | 'after'>,
  ): Promise<void> {
    if (this.#isClosed) throw new Fault('COLLECTOR_STOPPING', 'the collector is stopping', { retryable: true });
    if (this.#open.size >= MAX_STREAMS) {
      this.#refused.add();
      const sentence = `${MAX_STREAMS} streams are open, which is the limit: close one`;
      throw new Fault('TOO_MANY_STREAMS', sentence, { retryable: true });
    }
    const stop = new AbortController();
    const leave = (): void => stop.abort();
    response.once('close', leave);
    this.#open.add(stop);
    try {
      const changes = this.#feed().changes({ ...options, signal: stop.signal });
      await this.#send(changes, response, { isHead: method === 'HEAD', stopped: stop.signal });
    } finally {
      stop.abort();
      this.#open.delete(stop);
    }
  }

  /** Ends all streams and refuses new ones. */
  close(): void {
    this.#isClosed = true;
    for (const stop of this.#open) stop.abort();
    this.#removeGauge();
  }

  async #send(
    changes: AsyncIterable<IssueChange | ChangePosition>,
    response: ServerResponse,
    { isHead, stopped }: { isHead: boolean; stopped: AbortSignal },
  ): Promise<void> {
    const sendHeartbeat = (): void => {
      if (!response.writableNeedDrain) response.write(': still here\n\n');
    };
    let heartbeat: NodeJS.Timeout | undefined;
    let unwritten = '';
    try {
      for await (const change of changes) {
        if (!response.headersSent) begin(response);
        if (isHead) break;
        heartbeat ??= setInterval(sendHeartbeat, this.#bounds.heartbeatMs);
        unwritten += this.#eventText(change);
        // A position follows the last change of several.
        if ('issue' in change && unwritten.length < WRITE_LENGTH) continue;
        response.write(unwritten);
        unwritten = '';
        if (!(await this.#hasRoom(response, stopped))) break;
      }
    } finally {
      clearInterval(heartbeat);
    }
    if (response.destroyed) return;
    // A client that does not read would never receive the end, and a stop must not wait for it.
    if (stopped.aborted && response.writableNeedDrain) response.destroy();
    else response.end(unwritten);
  }

  /** Waits until a full buffer is drained; on a timeout sends `dropped` and resolves with false. */
  async #hasRoom(response: ServerResponse, stopped: AbortSignal): Promise<boolean> {
    if (response.writableLength <= this.#bounds.maxWaitingBytes) return true;
    await within(
      this.#bounds.patienceMs,
      once(response, 'drain', { signal: stopped }).catch(() => undefined),
    );
    if (stopped.aborted) return false;
    if (!response.writableNeedDrain) return true;
    this.#dropped.add();
    response.write('event: dropped\ndata: {"reason":"the client did not read; reconnect with the last event id"}\n\n');
    const { socket } = response;
    const timer = setTimeout(() => socket?.destroy(), LINGER_MS).unref();
    response.once('close', () => clearTimeout(timer));
    return false;
  }

  /** A block without data only sets the last event id. */
  #eventText(change: IssueChange | ChangePosition): string {
    const { kind, cursor } = change;
    if ('issue' in change) return `event: issue.${kind}\nid: ${cursor}\ndata: ${this.#jsonOf(change.issue)}\n\n`;
    return kind === 'reset' ? `event: reset\nid: ${cursor}\ndata: {}\n\n` : `id: ${cursor}\n\n`;
  }

  #jsonOf(issue: IssueSummary): string {
    const text = this.#texts.get(issue) ?? wellFormedJson(JSON.stringify(issue));
    this.#texts.set(issue, text);
    return text;
  }
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
