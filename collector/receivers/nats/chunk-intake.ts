import { LRUCache } from 'lru-cache';
import { Fault } from '../../../core/event/fault.js';
import { MAX_CONTENT_BYTES } from '../../../core/storage/dead-letters/encode-content.js';
import type { FollowPosition } from '../../../core/storage/following/record-follower.js';
import { parseEventId } from '../../../core/storage/record/partitions/event-id.js';
import type { GatewayStats } from '../../../generated/reader-answers.js';
import { HeldBody, type IngestMemory } from '../../component/ingest-memory.js';
import { toFault } from '../../http/messages/problem.js';
import {
  type Chunk,
  type ChunkEvent,
  type ChunkPart,
  comparePositions,
  formatPosition,
  invalidMessage,
  parseChunkPart,
  parsePosition,
} from '../../nats/chunk.js';
import { decodeChunk } from '../../nats/decode-chunk.js';
import type { ResendRequest } from '../../nats/fleet-messages.js';
import type { MessageReply, StreamMessage } from '../../nats/transport.js';
import type { Counter, Meters } from '../../telemetry/meters.js';
import { SerialQueue } from '../intake/serial-queue.js';
import { ChunkParts } from './chunk-parts.js';
import { type ChunkTarget, logOrigins, storeEvents } from './store-events.js';

interface ChunkIntakeOptions extends ChunkTarget {
  readonly meters: Meters;
  /** The budget for what messages inflate to. */
  readonly ingest: IngestMemory;
  /** Called when more of a source is stored, or was stored before. */
  readonly onStored: (source: string) => void;
  /** Called when events of a source are missing; repeated for the same gap every 2 s at most. */
  readonly onGap: (source: string, request: ResendRequest) => void;
}

/** Counts how often the chunk behind the last stored event of one source and partition was unreadable. */
class UnreadableChunks {
  /** The stored position, which tells whether something was stored since. */
  #stored = '';
  /** The pass of the source over its record that was counted last. */
  #epoch = -1;
  #passes = 0;

  /** Counts an unreadable chunk; returns whether its events are lost. Of one pass only the first chunk counts: those behind it are sent again with it. */
  isLost(stored: string, epoch: number): boolean {
    if (stored !== this.#stored) {
      this.#stored = stored;
      this.#epoch = -1;
      this.#passes = 0;
    }
    if (epoch === this.#epoch) return false;
    this.#epoch = epoch;
    this.#passes += 1;
    return this.#passes >= MAX_UNREADABLE_PASSES;
  }
}

/** Chunks of one source and partition, which are stored one after the other. */
class ChunkQueue {
  readonly queue = new SerialQueue();
  readonly unreadable = new UnreadableChunks();
  /** When a gap was reported last. */
  gapAtMs = Number.NEGATIVE_INFINITY;
  /** Until then a gap may be a chunk that is delivered again. */
  retryUntilMs = Number.NEGATIVE_INFINITY;
}

/** A message with what it says of itself. */
interface ChunkMessage {
  readonly part: ChunkPart;
  readonly body: Uint8Array;
  readonly partition: number;
}

/** The last stored event of a source. */
interface Arrival {
  readonly host: string;
  readonly lagMs: number;
  readonly storedAtMs: number;
  /** `lagMs` of the last stored event of each. */
  readonly byPartition: Map<number, number>;
}

/** How often a source sends the same events, in unreadable chunks, before the gateway goes on without them. */
const MAX_UNREADABLE_PASSES = 3;
const ACK: MessageReply = { kind: 'ack' };
const RETRY: MessageReply = { kind: 'retry', delayMs: 1_000 };
const GAP_INTERVAL_MS = 2_000;
const RETRY_WINDOW_MS = 5_000;
/** Shortest time between two lines about unusable messages. */
const LOG_INTERVAL_MS = 10_000;
const MAX_LISTED_SOURCES = 1_000;
/** Queues that are remembered: more than messages can be in flight, so that none in use is forgotten. */
const MAX_QUEUES = 10_000;
/** Faults of a chunk that would be the same if it were delivered again. */
const UNREADABLE: readonly string[] = ['NATS_MESSAGE_INVALID', 'BODY_TOO_LARGE'];

/** Stores the events of chunks once each, and acknowledges a message when its events are durable. */
export class ChunkIntake {
  readonly #options: ChunkIntakeOptions;
  readonly #queues = new LRUCache<string, ChunkQueue>({ max: MAX_QUEUES });
  readonly #incomplete: ChunkParts;
  /** Large chunks are inflated one at a time: several could refuse each other the memory forever. */
  readonly #largeChunks = new SerialQueue();
  /** Unreadable messages are kept one at a time: to redact one takes several times its size. */
  readonly #rejections = new SerialQueue();
  readonly #running = new Set<Promise<unknown>>();
  readonly #redelivered: Counter;
  readonly #gaps: Counter;
  readonly #lostChunks: Counter;
  readonly #arrivals = new Map<string, Arrival>();
  #lastLagMs = 0;
  #nextLogAtMs = 0;

  constructor(options: ChunkIntakeOptions) {
    const { id, meters, ingest } = options;
    this.#options = options;
    this.#incomplete = new ChunkParts(ingest);
    this.#redelivered = meters.counter('faultline_receiver_redelivered_messages', { receiver: id });
    this.#gaps = meters.counter('faultline_receiver_gaps', { receiver: id });
    this.#lostChunks = meters.counter('faultline_receiver_lost_chunks', { receiver: id });
  }

  /** Takes a message of a partition and returns what to tell the servers; never rejects. */
  receive(partition: number, message: StreamMessage): Promise<MessageReply> {
    const handled = this.#receive(partition, message);
    this.#running.add(handled);
    return handled.finally(() => this.#running.delete(handled));
  }

  stats(): Pick<GatewayStats, 'lag_ms' | 'gaps' | 'redelivered' | 'sources'> {
    const sources = [...this.#arrivals].map(([source, { host, lagMs, storedAtMs, byPartition }]) => {
      const last_event_at = new Date(storedAtMs).toISOString();
      return { source, host, lag_ms: lagMs, last_event_at, partitions: Object.fromEntries(byPartition) };
    });
    return {
      lag_ms: this.#lastLagMs,
      gaps: this.#gaps.current,
      redelivered: this.#redelivered.current,
      sources: sources.sort((one, other) => other.lag_ms - one.lag_ms).slice(0, MAX_LISTED_SOURCES),
    };
  }

  /** Resolves when no message is handled anymore. */
  async idle(): Promise<void> {
    await Promise.allSettled([...this.#running]);
  }

  async #receive(partition: number, { body }: StreamMessage): Promise<MessageReply> {
    const arrived = this.#options.ingest.begin();
    try {
      arrived.acquire(body.length);
      const part = parseChunkPart(body);
      const queue = this.#queueOf(part.source, partition);
      return await queue.queue.run(() => {
        // From here on its chunk counts it.
        arrived.releaseAll();
        return this.#take({ part, body, partition }, queue);
      });
    } catch (error) {
      if (!isUnreadable(error)) return RETRY;
      // It does not say whose it is; the gap that it leaves is sent again.
      await this.#reject(error, body);
      return ACK;
    } finally {
      arrived.releaseAll();
    }
  }

  /** Takes a message in the order of its source and partition. */
  async #take(message: ChunkMessage, queue: ChunkQueue): Promise<MessageReply> {
    const { part, body, partition } = message;
    if (this.#isStored(part, partition)) return this.#acknowledgeRepeated(part.source);
    try {
      return await this.#takePart(message, queue);
    } catch (error) {
      if (!isUnreadable(error)) {
        this.#logUnusable(error, partition);
        queue.retryUntilMs = performance.now() + RETRY_WINDOW_MS;
        return RETRY;
      }
      await this.#reject(error, body);
      return await this.#passUnreadable(message, queue);
    }
  }

  async #takePart({ part, partition }: ChunkMessage, queue: ChunkQueue): Promise<MessageReply> {
    const complete = this.#incomplete.add(partition, part);
    if (complete === undefined) return ACK;
    const content = new HeldBody(complete.memory);
    let reply = RETRY;
    try {
      reply = await this.#store(await decodeChunk(complete.parts, content, this.#largeChunks), partition, queue);
      return reply;
    } catch (error) {
      if (isUnreadable(error)) reply = ACK;
      throw error;
    } finally {
      content.discard();
      if (reply.kind === 'ack') complete.memory.releaseAll();
      else this.#incomplete.putBack(partition, complete);
    }
  }

  async #store(chunk: Chunk, partition: number, queue: ChunkQueue): Promise<MessageReply> {
    const { source, host, floor, after, isExact } = chunk;
    if (chunk.partition !== partition) {
      throw invalidMessage(`is of partition ${chunk.partition}, but has the subject of ${partition}`);
    }
    const stored = this.#storedUpTo(source, partition) ?? floor;
    // Unless the chunk follows an event, the partition may have had none between what is stored and the floor.
    const continues = !isExact && comparePositions(stored, floor) < 0 ? floor : stored;
    if (comparePositions(after, continues) > 0) {
      if (performance.now() < queue.retryUntilMs) return RETRY;
      this.#reportGap(source, { partition, after: continues }, queue);
      // Everything behind the gap is sent again with it.
      return ACK;
    }
    const events = chunk.events.filter(({ position }) => comparePositions(position, stored) > 0);
    await storeEvents(events, chunk, this.#options, (last) => this.#noteStored(source, host, partition, last));
    return ACK;
  }

  /** Counts an unreadable message, and keeps it as a dead letter if that is possible now. */
  async #reject(fault: Fault, body: Uint8Array): Promise<void> {
    const { id, consumer, logger, account } = this.#options;
    const { code, message: reason } = fault;
    // A copy, because a view would keep the whole message in memory.
    const received = Buffer.from(body.subarray(0, MAX_CONTENT_BYTES));
    const rejected = [{ code, field: '', reason, received, bytes: body.length }];
    try {
      await this.#rejections.run(() => consumer.consume({ receiver: id, events: [], rejected }));
    } catch (error) {
      // Not delivered again: to inflate it each time would keep the memory short.
      logger.warn({ err: error }, 'an unreadable message could not be kept as a dead letter');
    }
    this.#logUnusable(fault);
    account.count('rejected', code);
  }

  /** The events of the chunk are sent again. If they are unreadable each time, goes on behind them: the source would wait forever. */
  async #passUnreadable({ part, partition }: ChunkMessage, queue: ChunkQueue): Promise<MessageReply> {
    const { source, epoch, to } = part;
    const stored = this.#storedUpTo(source, partition);
    // A chunk before this one may be delivered again.
    if (performance.now() < queue.retryUntilMs) return ACK;
    const after = stored === undefined ? '' : formatPosition(stored);
    if (!queue.unreadable.isLost(after, epoch)) {
      this.#reportGap(source, { partition, after: stored ?? to }, queue);
      return ACK;
    }
    const { logger, onStored } = this.#options;
    const range = { source, partition, after, to: formatPosition(to) };
    await logOrigins({ ...range, origins: [] }, this.#options);
    this.#lostChunks.add();
    logger.error(range, `events of a source are lost: they were unreadable each of ${MAX_UNREADABLE_PASSES} times`);
    onStored(source);
    return ACK;
  }

  #reportGap(source: string, request: ResendRequest, queue: ChunkQueue): void {
    if (performance.now() - queue.gapAtMs < GAP_INTERVAL_MS) return;
    queue.gapAtMs = performance.now();
    this.#gaps.add();
    this.#options.logger.warn({ source, ...request }, 'events of a source are missing; it is asked to send them again');
    this.#options.onGap(source, request);
  }

  #logUnusable(error: unknown, partition?: number): void {
    if (toFault(error).retryable || performance.now() < this.#nextLogAtMs) return;
    this.#nextLogAtMs = performance.now() + LOG_INTERVAL_MS;
    this.#options.logger.error({ err: error, partition }, 'a message of the fleet is unusable');
  }

  #queueOf(source: string, partition: number): ChunkQueue {
    const key = `${source} ${partition}`;
    const queue = this.#queues.get(key) ?? new ChunkQueue();
    this.#queues.set(key, queue);
    return queue;
  }

  /** Behind the last stored event; undefined: none is. */
  #storedUpTo(source: string, partition: number): FollowPosition | undefined {
    return parsePosition(this.#options.origins.applied.get(source)?.get(partition));
  }

  #isStored({ source, to }: ChunkPart, partition: number): boolean {
    const stored = this.#storedUpTo(source, partition);
    return stored !== undefined && comparePositions(to, stored) <= 0;
  }

  #acknowledgeRepeated(source: string): MessageReply {
    this.#redelivered.add();
    this.#options.onStored(source);
    return ACK;
  }

  #noteStored(source: string, host: string, partition: number, { id: eventId }: ChunkEvent): void {
    const receivedAtMicros = parseEventId(eventId)?.receivedAtMicros;
    if (receivedAtMicros !== undefined) {
      const storedAtMs = Date.now();
      this.#lastLagMs = Math.max(0, Math.round(storedAtMs - receivedAtMicros / 1000));
      const byPartition = this.#arrivals.get(source)?.byPartition ?? new Map<number, number>();
      byPartition.set(partition, this.#lastLagMs);
      this.#arrivals.set(source, { host, lagMs: this.#lastLagMs, storedAtMs, byPartition });
    }
    this.#options.onStored(source);
  }
}

/** Whether a fault would be the same if its message were delivered again. */
function isUnreadable(error: unknown): error is Fault {
  return error instanceof Fault && UNREADABLE.includes(error.code);
}
