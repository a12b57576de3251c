import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { RequestFault } from '../../http/messages/http-fault.js';
import { type BodyLimits, readBody } from '../../http/messages/read-body.js';
import { IdempotencyCache } from '../intake/idempotency-cache.js';

/** The whole answer to a request whose events were taken. */
export interface TakenAnswer {
  readonly status: number;
  /** The body, piece by piece. */
  readonly texts: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

/** With what is kept of each this is at most 15 MiB of a receiver. */
const MAX_KEYS = 10_000;
/** A longer answer is not kept whole: its repetition says only how many events were taken. */
const MAX_KEPT_TEXT_LENGTH = 1024;

/** What is remembered of requests by their `Idempotency-Key`, for the window in milliseconds. */
export class KeyedRequests {
  readonly answers: IdempotencyCache<TakenAnswer>;
  /** Index of the first event that was not taken, of requests that were interrupted. */
  readonly interrupted = new LRUCache<string, number>({ maxSize: MAX_KEYS, sizeCalculation: () => 1 });

  constructor(windowMs: number) {
    this.answers = new IdempotencyCache({ windowMs, maxEntries: MAX_KEYS });
  }
}

/** Requests that were sent with a key. One that comes again is answered as the first; one that was interrupted goes on where it was. */
export class RepeatedRequests {
  /** For reading over the body of a request that is answered from memory. */
  readonly #limits: BodyLimits;
  readonly #memory: KeyedRequests;

  constructor(limits: BodyLimits, memory: KeyedRequests) {
    this.#limits = limits;
    this.#memory = memory;
  }

  /** Answers as the first request of this key was answered, or does `take`, which leaves out the events before the index that it is given. */
  async answer(
    key: string,
    request: IncomingMessage,
    take: (fromIndex: number) => Promise<TakenAnswer>,
  ): Promise<TakenAnswer> {
    const given: { answer?: TakenAnswer } = {};
    const { outcome, isRepeated } = await this.#memory.answers.once(key, async () => {
      given.answer = await this.#takeRest(key, take);
      return kept(given.answer);
    });
    if (!isRepeated) return given.answer ?? outcome;
    await readBody(request, this.#limits, () => undefined);
    return { ...outcome, headers: { ...outcome.headers, 'idempotent-replayed': 'true' } };
  }

  async #takeRest(key: string, take: (fromIndex: number) => Promise<TakenAnswer>): Promise<TakenAnswer> {
    try {
      const answer = await take(this.#memory.interrupted.get(key) ?? 0);
      this.#memory.interrupted.delete(key);
      return answer;
    } catch (error) {
      const nextIndex = error instanceof RequestFault ? error.members['next_index'] : undefined;
      if (typeof nextIndex === 'number') this.#memory.interrupted.set(key, nextIndex);
      throw error;
    }
  }
}

function kept(answer: TakenAnswer): TakenAnswer {
  const length = answer.texts.reduce((sum, text) => sum + text.length, 0);
  if (length <= MAX_KEPT_TEXT_LENGTH) return answer;
  const accepted = /^\{"accepted":(\d+)/.exec(answer.texts[0] ?? '')?.[1] ?? '0';
  return { ...answer, texts: [`{"accepted":${accepted}}`] };
}
