import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { RequestFault } from '../../http/messages/http-fault.js';
import { type BodyLimits, discardBody } from '../../http/messages/read-body.js';
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

/** Remembers requests by `Idempotency-Key` for `windowMs`; `accept` skips the events that an interrupted one had accepted. */
export function createRepeatedRequests(windowMs: number) {
  const responses = new IdempotencyCache<EventsResponse>({ windowMs, maxEntries: MAX_KEYS });
  /** Of an interrupted request, the index of the first event that was not accepted. */
  const interrupted = new LRUCache<string, number>({ maxSize: MAX_KEYS, sizeCalculation: () => 1 });

  async function acceptRest(key: string, accept: (fromIndex: number) => Promise<EventsResponse>) {
    try {
      const response = await accept(interrupted.get(key) ?? 0);
      interrupted.delete(key);
      return response;
    } catch (error) {
      const nextIndex = error instanceof RequestFault ? error.members['next_index'] : undefined;
      if (typeof nextIndex === 'number') interrupted.set(key, nextIndex);
      throw error;
    }
  }

  return async (
    key: string,
    request: IncomingMessage,
    limits: BodyLimits,
    accept: (fromIndex: number) => Promise<EventsResponse>,
  ): Promise<EventsResponse> => {
    const full: { response?: EventsResponse } = {};
    const { outcome, isRepeated } = await responses.once(key, async () => {
      full.response = await acceptRest(key, accept);
      return cacheable(full.response);
    });
    if (!isRepeated) return full.response ?? outcome;
    await discardBody(request, limits);
    return { ...outcome, headers: { ...outcome.headers, 'idempotent-replayed': 'true' } };
  };
}

function cacheable(response: EventsResponse): EventsResponse {
  const length = response.pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length <= MAX_CACHED_LENGTH) return response;
  const accepted = /^\{"accepted":(\d+)/.exec(response.pieces[0] ?? '')?.[1] ?? '0';
  return { ...response, pieces: [`{"accepted":${accepted}}`] };
}
