import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { RequestFault } from '../../http/messages/http-fault.js';
import { type BodyLimits, discardBody } from '../../http/messages/read-body.js';
import { IdempotencyCache } from '../intake/idempotency-cache.js';
import type { EventsResponse } from './event-request.js';

/** Bounds the memory to about 15 MiB per receiver. */
const MAX_KEYS = 10_000;
/** Of a longer body only the number of accepted events is cached. */
const MAX_CACHED_LENGTH = 1024;

/** Remembers requests by `Idempotency-Key`, so that repeated ones are accepted once. */
export class RepeatedRequests {
  readonly #responses: IdempotencyCache<EventsResponse>;
  /** Of an interrupted request, the index of the first event that was not accepted. */
  readonly #interrupted = new LRUCache<string, number>({ maxSize: MAX_KEYS, sizeCalculation: () => 1 });

  /** `windowMs`: for how long. */
  constructor(windowMs: number) {
    this.#responses = new IdempotencyCache({ windowMs, maxEntries: MAX_KEYS });
  }

  /** Accepts a new request, from the first event on that an interrupted one with the key lacked; returns the response again for a repeated one, whose body is discarded. */
  async respondOnce(
    key: string,
    request: IncomingMessage,
    limits: BodyLimits,
    accept: (fromIndex: number) => Promise<EventsResponse>,
  ): Promise<EventsResponse> {
    const first: { response?: EventsResponse } = {};
    const { outcome, isRepeated } = await this.#responses.once(key, async () => {
      first.response = await this.#acceptRest(key, accept);
      return cacheable(first.response);
    });
    if (!isRepeated) return first.response ?? outcome;
    await discardBody(request, limits);
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
  return { ...response, pieces: [JSON.stringify({ accepted: response.accepted })] };
}
