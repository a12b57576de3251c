import { LRUCache } from 'lru-cache';
import { Fault } from '../../../core/event/fault.js';
import type { IngestMemory, RequestMemory } from '../../component/ingest-memory.js';
import { type ChunkPart, formatPosition, invalidMessage } from '../../nats/chunk.js';

/** All messages of a chunk. */
export interface CompleteChunk {
  readonly parts: readonly ChunkPart[];
  /** Counts the messages as held; the caller that takes the chunk releases it, or puts the chunk back. */
  readonly memory: RequestMemory;
}

/** Messages that wait for the others of their chunk; undefined for one that is missing. */
interface WaitingParts {
  readonly parts: (ChunkPart | undefined)[];
  readonly memory: RequestMemory;
  bytes: number;
}

/** Chunks that wait for messages at once; the oldest are forgotten, which leaves a gap that is sent again. */
const MAX_WAITING = 64;
/** A chunk is forgotten if none of its messages came for this long, for example because its source was killed. */
const MAX_WAIT_MS = 60_000;
/** What waits leaves this part of the ingest memory to other requests. */
const SHARE = 1 / 2;

/** The messages of chunks of several messages, until they are complete, within half of the ingest memory. */
export class ChunkParts {
  readonly #ingest: IngestMemory;
  readonly #maxBytes: number;
  readonly #waiting: LRUCache<string, WaitingParts>;

  constructor(ingest: IngestMemory) {
    this.#ingest = ingest;
    this.#maxBytes = Math.min(Number.MAX_SAFE_INTEGER, Math.max(1, Math.floor(ingest.maxBytes * SHARE)));
    this.#waiting = new LRUCache({
      max: MAX_WAITING,
      maxSize: this.#maxBytes,
      sizeCalculation: ({ bytes }) => Math.max(1, bytes),
      ttl: MAX_WAIT_MS,
      ttlAutopurge: true,
      dispose: ({ memory }, _key, reason) => {
        if (reason === 'evict' || reason === 'expire') memory.releaseAll();
      },
    });
  }

  /** Returns the chunk if this message completes it. Throws `RECEIVER_BUSY` and, for a chunk that can never be complete, `BODY_TOO_LARGE` or `NATS_MESSAGE_INVALID`. */
  add(partition: number, part: ChunkPart): CompleteChunk | undefined {
    const key = keyOf(partition, part);
    const waiting = this.#waiting.get(key) ?? this.#begin(part);
    const { parts, memory } = waiting;
    try {
      if (parts.length !== part.parts) throw invalidMessage('differs from the others of its chunk');
      const known = parts[part.part]?.content.length ?? 0;
      const bytes = waiting.bytes - known + part.content.length;
      if (part.parts > 1 && bytes > this.#maxBytes) throw tooLarge(this.#maxBytes);
      memory.acquire(part.content.length);
      memory.release(known);
      waiting.bytes = bytes;
    } catch (error) {
      if (!(error instanceof Fault && error.retryable)) this.#forget(key, waiting);
      else if (waiting.bytes === 0) memory.releaseAll();
      throw error;
    }
    parts[part.part] = part;
    const complete = parts.filter((one) => one !== undefined);
    if (complete.length < parts.length) {
      this.#waiting.set(key, waiting);
      return undefined;
    }
    this.#waiting.delete(key);
    return { parts: complete, memory };
  }

  /** Keeps a complete chunk of several messages until its last message is delivered again. */
  putBack(partition: number, { parts, memory }: CompleteChunk): void {
    const [first] = parts;
    if (first === undefined || parts.length === 1) {
      memory.releaseAll();
      return;
    }
    const bytes = parts.reduce((sum, { content }) => sum + content.length, 0);
    this.#waiting.set(keyOf(partition, first), { parts: [...parts], memory, bytes });
  }

  #begin({ parts }: ChunkPart): WaitingParts {
    const none = new Array<ChunkPart | undefined>(parts).fill(undefined);
    return { parts: none, memory: this.#ingest.begin(), bytes: 0 };
  }

  #forget(key: string, { memory }: WaitingParts): void {
    this.#waiting.delete(key);
    memory.releaseAll();
  }
}

function keyOf(partition: number, { source, epoch, to }: ChunkPart): string {
  return `${source} ${partition} ${epoch} ${formatPosition(to)}`;
}

function tooLarge(maxBytes: number): Fault {
  return new Fault('BODY_TOO_LARGE', `the messages of a chunk are larger than the ${maxBytes} bytes that may wait`);
}
