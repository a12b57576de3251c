import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject, type JsonObject } from '../../core/event/json.js';
import { readFetchedJson } from '../../core/http-reader/read-answer.js';

/** Options of an EventSender. */
export interface EventSenderOptions {
  /** URL of `POST /v1/events`. */
  readonly eventsUrl: string;
  /** Bearer token; default none. */
  readonly token?: string | undefined;
  /** Redacts an event before it leaves the process. If it rejects, the event is lost. */
  mask(payload: JsonObject): Promise<JsonObject>;
}

interface QueuedEvent {
  readonly payload: JsonObject;
  readonly bytes: number;
}

const MAX_QUEUE = 10_000;
const MAX_QUEUE_BYTES = 64 * 1024 * 1024;
const MAX_BATCH = 100;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
const INITIAL_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;
const RETRY_TIMEOUT_MS = 5 * 60_000;
const RETRYABLE: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** Sends events in order, each batch for up to 5 minutes with one `Idempotency-Key`; what does not fit, is rejected or not sent counts as lost. */
export class EventSender {
  readonly #options: EventSenderOptions;
  #queue: QueuedEvent[] = [];
  #queuedBytes = 0;
  readonly #delivery: { lost: number; reason: string | undefined } = { lost: 0, reason: undefined };
  #sending: Promise<void> | undefined;
  readonly #abort = new AbortController();

  constructor(options: EventSenderOptions) {
    this.#options = options;
  }

  send(payload: JsonObject): void {
    const bytes = Buffer.byteLength(JSON.stringify(payload));
    if (this.#queue.length >= MAX_QUEUE || this.#queuedBytes + bytes > MAX_QUEUE_BYTES) {
      this.#countLost(1, 'the queue was full');
      return;
    }
    this.#queue.push({ payload, bytes });
    this.#queuedBytes += bytes;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  /** Waits until the queue is empty; events left at the timeout or the signal are lost. Do not call `send` afterwards. */
  async finish(timeoutMs: number, signal: AbortSignal) {
    const stop = (): void => this.#abort.abort();
    const timer = setTimeout(stop, timeoutMs);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    await this.#sending;
    clearTimeout(timer);
    return this.#delivery;
  }

  async #sendAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#nextBatch();
      await this.#deliver(batch);
      // Events in flight count too, because they are still in memory.
      this.#queuedBytes -= batch.reduce((sum, { bytes }) => sum + bytes, 0);
    }
  }

  #nextBatch(): QueuedEvent[] {
    let bytes = 0;
    const end = this.#queue.findIndex((event, index) => {
      bytes += event.bytes;
      return index > 0 && (index === MAX_BATCH || bytes > MAX_BATCH_BYTES);
    });
    return this.#queue.splice(0, end === -1 ? this.#queue.length : end);
  }

  async #deliver(batch: readonly QueuedEvent[]): Promise<void> {
    const key = randomUUID();
    const lines = await this.#maskAll(batch);
    if (lines.length === 0) return;
    const body = lines.join('\n');
    const deadlineMs = performance.now() + RETRY_TIMEOUT_MS;
    for (let backoffMs = INITIAL_BACKOFF_MS; ; backoffMs = Math.min(2 * backoffMs, MAX_BACKOFF_MS)) {
      const outcome = await this.#post(key, body);
      if (outcome.isFinal || this.#abort.signal.aborted || performance.now() > deadlineMs) {
        const lost = lines.length - (outcome.isFinal ? outcome.accepted : 0);
        if (lost > 0) this.#countLost(lost, outcome.reason);
        return;
      }
      await delay(backoffMs, undefined, { signal: this.#abort.signal }).catch(() => undefined);
    }
  }

  async #maskAll(batch: readonly QueuedEvent[]): Promise<string[]> {
    const lines: string[] = [];
    for (const { payload } of batch) {
      try {
        lines.push(JSON.stringify(await this.#options.mask(payload)));
      } catch (error) {
        this.#countLost(1, `secrets could not be redacted (${causeOf(error)})`);
      }
    }
    return lines;
  }

  async #post(key: string, body: string): Promise<Outcome> {
    const { eventsUrl, token } = this.#options;
    const failed = (what: string): Outcome => ({ isFinal: false, accepted: 0, reason: `${eventsUrl} did not ${what}` });
    if (this.#abort.signal.aborted) return failed('accept them in time');
    try {
      const response = await fetch(eventsUrl, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-ndjson',
          prefer: 'return=minimal',
          'idempotency-key': key,
          // fetch omits it when a redirect leads to another origin.
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        body,
        signal: AbortSignal.any([this.#abort.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
      });
      const responseBody = await readFetchedJson(response, new URL(eventsUrl).origin);
      const reason = response.ok ? `${eventsUrl} rejected them` : `${eventsUrl} responded with ${response.status}`;
      return { isFinal: !RETRYABLE.has(response.status), accepted: acceptedOf(responseBody), reason };
    } catch (error) {
      return failed(`respond (${causeOf(error)})`);
    }
  }

  #countLost(count: number, reason: string): void {
    this.#delivery.lost += count;
    this.#delivery.reason = reason;
  }
}

interface Outcome {
  readonly isFinal: boolean;
  readonly accepted: number;
  readonly reason: string;
}

/** Returns 0 for a body of another form. */
function acceptedOf(responseBody: unknown): number {
  return isJsonObject(responseBody) && typeof responseBody['accepted'] === 'number' ? responseBody['accepted'] : 0;
}

/** The cause of Node's "fetch failed". */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof Error) return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
  return String(cause);
}
