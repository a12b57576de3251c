import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { RequestFault } from '../../http/messages/http-fault.js';
import { type BodyLimits, readBody } from '../../http/messages/read-body.js';
import { IdempotencyCache } from '../intake/idempotency-cache.js';

/** The response to a request whose events were accepted. */
export interface EventsResponse {
  readonly status: number;
  /** The body. */
  readonly pieces: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

/** Bounds the memory to about 15 MiB per receiver. */
const MAX_KEYS = 10_000;
/** Of a longer body only the number of accepted events is cached. */
const MAX_CACHED_LENGTH = 1024;

/**
 * Requests by their `Idempotency-Key`, for `windowMs`. A repeated one gets the first response; an interrupted one continues after the accepted
 * events.
 */
export class RepeatedRequests {
  readonly #responses: IdempotencyCache<EventsResponse>;
  /** Of an interrupted request, the index of the first event that was not accepted. */
  readonly #interrupted = new LRUCache<string, number>({ maxSize: MAX_KEYS, sizeCalculation: () => 1 });

  constructor(windowMs: number) {
    this.#responses = new IdempotencyCache({ windowMs, maxEntries: MAX_KEYS });
  }

  /** Returns the response to the first request with this key, or calls `accept`, which skips the events before `fromIndex`. */
  async respond(
    key: string,
    request: IncomingMessage,
    limits: BodyLimits,
    accept: (fromIndex: number) => Promise<EventsResponse>,
  ): Promise<EventsResponse> {
    const full: { response?: EventsResponse } = {};
    const { outcome, isRepeated } = await this.#responses.once(key, async () => {
      full.response = await this.#acceptRest(key, accept);
      return cacheable(full.response);
    });
    if (!isRepeated) return full.response ?? outcome;
    // Drains the body.
    await readBody(request, limits, () => undefined);
    return { ...outcome, headers: { ...outcome.headers, 'idempotent-replayed': 'true' } };
  }

  async #acceptRest(key: string, accept: (fromIndex: number) => Promise<EventsResponse>): Promise<EventsResponse> {
    try {
      const response = await accept(this.#interrupted.get(key) ?? 0);
      this.#interrupted.delete(key);
      return response;
    } catch (error) {
      const nextIndex = error instanceof RequestFault ? error.members['next_index'] : undefined;
      if (typeof nextIndex === 'number') this.#interrupted.set(key, nextIndex);
      throw error;
    }
  }
}

function cacheable(response: EventsResponse): EventsResponse {
  const length = response.pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length <= MAX_CACHED_LENGTH) return response;
  const accepted = /^\{"accepted":(\d+)/.exec(response.pieces[0] ?? '')?.[1] ?? '0';
  return { ...response, pieces: [`{"accepted":${accepted}}`] };
}
