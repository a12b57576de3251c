import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '../../core/event/json.js';
import { isJsonObject } from '../../core/event/json.js';

/** Where events go, and how long that is tried. */
export interface EventSenderOptions {
  /** Of `POST /v1/events`. */
  readonly eventsUrl: string;
  /** What the collector is shown; absent: nothing. */
  readonly token?: string | undefined;
  /** Takes secrets out of an event before it leaves the process; one for which it rejects is lost. */
  mask(payload: JsonObject): Promise<JsonObject>;
  /** How long one batch is tried; default 5 minutes. */
  readonly giveUpAfterMs?: number;
}

/** What became of the events of a run. */
export interface Delivery {
  /** Events that are not stored. */
  readonly lost: number;
  /** Why the last of them is not; undefined when none was lost. */
  readonly reason: string | undefined;
}

interface WaitingEvent {
  readonly payload: JsonObject;
  readonly bytes: number;
}

const MAX_WAITING = 10_000;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
const MAX_BATCH = 100;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;
const GIVE_UP_AFTER_MS = 5 * 60_000;
const RETRIED: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/**
 * Sends events in their order, in batches. A batch that a collector cannot take now is sent again, with pauses of 100 ms up to 5 s, under the same
 * `Idempotency-Key`, so that it is stored once. At most 10,000 events or 64 MiB wait; what does not fit, is refused or was tried too long is counted.
 */
export class EventSender {
  readonly #options: EventSenderOptions;
  #waiting: WaitingEvent[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #reason: string | undefined;
  #sending: Promise<void> | undefined;
  readonly #end = new AbortController();

  constructor(options: EventSenderOptions) {
    this.#options = options;
  }

  send(payload: JsonObject): void {
    const bytes = Buffer.byteLength(JSON.stringify(payload));
    if (this.#waiting.length >= MAX_WAITING || this.#waitingBytes + bytes > MAX_WAITING_BYTES) {
      this.#lose(1, 'too many waited');
      return;
    }
    this.#waiting.push({ payload, bytes });
    this.#waitingBytes += bytes;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  /** Waits until everything was sent, at most this long and only until the signal; what is left then is lost. Nothing may be sent afterwards. */
  async finish(timeoutMs: number, signal: AbortSignal): Promise<Delivery> {
    const stop = (): void => this.#end.abort();
    const timer = setTimeout(stop, timeoutMs);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    await this.#sending;
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    return { lost: this.#lost, reason: this.#reason };
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      await this.#deliver(batch);
      // Only now is there room for others: what is on its way is held too.
      this.#waitingBytes -= batch.reduce((sum, { bytes }) => sum + bytes, 0);
    }
  }

  #nextBatch(): WaitingEvent[] {
    let bytes = 0;
    const beyond = this.#waiting.findIndex((event, place) => {
      bytes += event.bytes;
      return place > 0 && (place === MAX_BATCH || bytes > MAX_BATCH_BYTES);
    });
    return this.#waiting.splice(0, beyond === -1 ? this.#waiting.length : beyond);
  }

  async #deliver(batch: readonly WaitingEvent[]): Promise<void> {
    const key = randomUUID();
    const lines = await this.#masked(batch);
    if (lines.length === 0) return;
    const body = lines.join('\n');
    const lastTry = performance.now() + (this.#options.giveUpAfterMs ?? GIVE_UP_AFTER_MS);
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const outcome = await this.#post(key, body);
      if (outcome.isFinal) {
        const lost = lines.length - outcome.accepted;
        if (lost > 0) this.#lose(lost, outcome.reason);
        return;
      }
      if (this.#end.signal.aborted || performance.now() > lastTry) {
        this.#lose(lines.length, outcome.reason);
        return;
      }
      await delay(pauseMs, undefined, { signal: this.#end.signal }).catch(() => undefined);
    }
  }

  async #masked(batch: readonly WaitingEvent[]): Promise<string[]> {
    const lines: string[] = [];
    for (const { payload } of batch) {
      try {
        lines.push(JSON.stringify(await this.#options.mask(payload)));
      } catch (error) {
        this.#lose(1, `secrets could not be taken out (${causeOf(error)})`);
      }
    }
    return lines;
  }

  async #post(key: string, body: string): Promise<Outcome> {
    const { eventsUrl, token } = this.#options;
    if (this.#end.signal.aborted)
      return { isFinal: false, accepted: 0, reason: `${eventsUrl} did not take them in time` };
    try {
      const response = await fetch(eventsUrl, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-ndjson',
          prefer: 'return=minimal',
          'idempotency-key': key,
          // Where a redirect leads to another origin, fetch leaves it out.
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        body,
        signal: AbortSignal.any([this.#end.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
      });
      const answer = await response.text();
      const reason = response.ok ? `${eventsUrl} rejected them` : `${eventsUrl} answered ${response.status}`;
      return { isFinal: !RETRIED.has(response.status), accepted: acceptedOf(answer), reason };
    } catch (error) {
      return { isFinal: false, accepted: 0, reason: `${eventsUrl} did not answer (${causeOf(error)})` };
    }
  }

  #lose(count: number, reason: string): void {
    this.#lost += count;
    this.#reason = reason;
  }
}

interface Outcome {
  readonly isFinal: boolean;
  readonly accepted: number;
  readonly reason: string;
}

/** How many events an answer says were taken; 0 when it says nothing of the kind. */
function acceptedOf(answer: string): number {
  try {
    const value: unknown = JSON.parse(answer);
    return isJsonObject(value) && typeof value['accepted'] === 'number' ? value['accepted'] : 0;
  } catch {
    return 0;
  }
}

/** What lies under the "fetch failed" of Node. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof Error) return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
  return String(cause);
}
