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
import type { Meters } from '../../telemetry/meters.js';
import { SerialQueue } from '../intake/serial-queue.js';
import { ChunkParts } from './chunk-parts.js';
import { type ChunkTarget, logOrigins, storeEvents } from './store-events.js';
import { MAX_UNREADABLE_PASSES, UnreadableChunks } from './unreadable-chunks.js';

interface ChunkIntakeOptions extends ChunkTarget {
  readonly meters: Meters;
  /** The budget for what messages inflate to. */
  readonly ingest: IngestMemory;
  /** Called when more of a source is stored, or was stored before. */
  readonly onStored: (source: string) => void;
  /** Called when events of a source are missing; repeated for the same gap every 2 s at most. */
  readonly onGap: (source: string, request: ResendRequest) => void;
}

/** Chunks of one source and partition, which are stored one after the other. */
interface ChunkQueue {
  readonly queue: SerialQueue;
  readonly unreadable: UnreadableChunks;
  gapAtMs: number;
  /** Until then a gap may be a chunk that is delivered again. */
  retryUntilMs: number;
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
export type ChunkIntake = ReturnType<typeof createChunkIntake>;

/** Creates the intake of one receiver. */
export function createChunkIntake(options: ChunkIntakeOptions) {
  const { id, meters, ingest, origins, consumer, account, logger, onStored, onGap } = options;
  const queues = new LRUCache<string, ChunkQueue>({ max: MAX_QUEUES });
  const incomplete = new ChunkParts(ingest);
  /** Large chunks are inflated one at a time: several could refuse each other the memory forever. */
  const largeChunks = new SerialQueue();
  const running = new Set<Promise<unknown>>();
  /** Unreadable messages are kept one at a time: to redact one takes several times its size. */
  const rejections = new SerialQueue();
  const redelivered = meters.counter('faultline_receiver_redelivered_messages', { receiver: id });
  const gaps = meters.counter('faultline_receiver_gaps', { receiver: id });
  const lostChunks = meters.counter('faultline_receiver_lost_chunks', { receiver: id });
  const arrivals = new Map<string, Arrival>();
  let lastLagMs = 0;
  let logAtMs = 0;

  async function receive(partition: number, { body }: StreamMessage): Promise<MessageReply> {
    const arrived = ingest.begin();
    try {
      arrived.acquire(body.length);
      const part = parseChunkPart(body);
      const queue = queueOf(part.source, partition);
      return await queue.queue.run(() => {
        // From here on its chunk counts it.
        arrived.releaseAll();
        return take({ part, body, partition }, queue);
      });
    } catch (error) {
      if (!isUnreadable(error)) return RETRY;
      // It does not say whose it is; the gap that it leaves is sent again.
      await reject(error, body);
      return ACK;
    } finally {
      arrived.releaseAll();
    }
  }

  /** Takes a message in the order of its source and partition. */
  async function take(message: ChunkMessage, queue: ChunkQueue): Promise<MessageReply> {
    const { part, body, partition } = message;
    if (isStored(part, partition)) return acknowledgeRepeated(part.source);
    try {
      return await takePart(message, queue);
    } catch (error) {
      if (!isUnreadable(error)) {
        logUnusable(error, partition);
        queue.retryUntilMs = performance.now() + RETRY_WINDOW_MS;
        return RETRY;
      }
      await reject(error, body);
      return await passUnreadable(message, queue);
    }
  }

  async function takePart({ part, partition }: ChunkMessage, queue: ChunkQueue): Promise<MessageReply> {
    const complete = incomplete.add(partition, part);
    if (complete === undefined) return ACK;
    const content = new HeldBody(complete.memory);
    let reply = RETRY;
    try {
      reply = await store(await decodeChunk(complete.parts, content, largeChunks), partition, queue);
      return reply;
    } catch (error) {
      if (isUnreadable(error)) reply = ACK;
      throw error;
    } finally {
      content.discard();
      if (reply.kind === 'ack') complete.memory.releaseAll();
      else incomplete.putBack(partition, complete);
    }
  }

  /** Counts an unreadable message, and keeps it as a dead letter if that is possible now. */
  async function reject(fault: Fault, body: Uint8Array): Promise<void> {
    const { code, message: reason } = fault;
    // A copy, because a view would keep the whole message in memory.
    const received = Buffer.from(body.subarray(0, MAX_CONTENT_BYTES));
    const rejected = [{ code, field: '', reason, received, bytes: body.length }];
    try {
      await rejections.run(() => consumer.consume({ receiver: id, events: [], rejected }));
    } catch (error) {
      // Not delivered again: to inflate it each time would keep the memory short.
      logger.warn({ err: error }, 'an unreadable message could not be kept as a dead letter');
    }
    logUnusable(fault);
    account.count('rejected', code);
  }

  /** The events of the chunk are sent again. If they are unreadable each time, goes on behind them: the source would wait forever. */
  async function passUnreadable({ part, partition }: ChunkMessage, queue: ChunkQueue): Promise<MessageReply> {
    const { source, epoch, to } = part;
    const stored = appliedOf(source, partition);
    // A chunk before this one may be delivered again.
    if (performance.now() < queue.retryUntilMs) return ACK;
    const after = stored === undefined ? '' : formatPosition(stored);
    if (queue.unreadable.isLost(after, epoch)) {
      const range = { source, partition, after, to: formatPosition(to) };
      await logOrigins({ ...range, origins: [] }, options);
      lostChunks.add();
      logger.error(range, `events of a source are lost: they were unreadable each of ${MAX_UNREADABLE_PASSES} times`);
      onStored(source);
    } else reportGap(source, { partition, after: stored ?? to }, queue);
    return ACK;
  }

  function logUnusable(error: unknown, partition?: number): void {
    if (toFault(error).retryable || performance.now() < logAtMs) return;
    logAtMs = performance.now() + LOG_INTERVAL_MS;
    logger.error({ err: error, partition }, 'a message of the fleet is unusable');
  }

  function queueOf(source: string, partition: number): ChunkQueue {
    const key = `${source} ${partition}`;
    const never = Number.NEGATIVE_INFINITY;
    const known = queues.get(key) ?? {
      queue: new SerialQueue(),
      unreadable: new UnreadableChunks(),
      gapAtMs: never,
      retryUntilMs: never,
    };
    queues.set(key, known);
    return known;
  }

  function appliedOf(source: string, partition: number): FollowPosition | undefined {
    return parsePosition(origins.applied.get(source)?.get(partition));
  }

  function isStored({ source, to }: ChunkPart, partition: number): boolean {
    const applied = appliedOf(source, partition);
    return applied !== undefined && comparePositions(to, applied) <= 0;
  }

  function acknowledgeRepeated(source: string): MessageReply {
    redelivered.add();
    onStored(source);
    return ACK;
  }

  async function store(chunk: Chunk, partition: number, target: ChunkQueue): Promise<MessageReply> {
    const { source, host, floor, after, isExact } = chunk;
    if (chunk.partition !== partition) {
      throw invalidMessage(`is of partition ${chunk.partition}, but has the subject of ${partition}`);
    }
    const stored = appliedOf(source, partition) ?? floor;
    // Unless the chunk follows an event, the partition may have had none between what is stored and the floor.
    const applied = !isExact && comparePositions(stored, floor) < 0 ? floor : stored;
    if (comparePositions(after, applied) > 0) {
      if (performance.now() < target.retryUntilMs) return RETRY;
      reportGap(source, { partition, after: applied }, target);
      // Everything behind the gap is sent again with it.
      return ACK;
    }
    const events = chunk.events.filter(({ position }) => comparePositions(position, stored) > 0);
    await storeEvents(events, chunk, options, (last) => noteStored(source, host, partition, last));
    return ACK;
  }

  function reportGap(source: string, request: ResendRequest, target: ChunkQueue): void {
    if (performance.now() - target.gapAtMs < GAP_INTERVAL_MS) return;
    target.gapAtMs = performance.now();
    gaps.add();
    logger.warn({ source, ...request }, 'events of a source are missing; it is asked to send them again');
    onGap(source, request);
  }

  function noteStored(source: string, host: string, partition: number, { id: eventId }: ChunkEvent): void {
    const receivedAtMicros = parseEventId(eventId)?.receivedAtMicros;
    if (receivedAtMicros !== undefined) {
      const storedAtMs = Date.now();
      lastLagMs = Math.max(0, Math.round(storedAtMs - receivedAtMicros / 1000));
      const { byPartition } = arrivals.get(source) ?? { byPartition: new Map<number, number>() };
      byPartition.set(partition, lastLagMs);
      arrivals.set(source, { host, lagMs: lastLagMs, storedAtMs, byPartition });
    }
    onStored(source);
  }

  return {
    /** Returns the function that receives the messages of a partition. */
    receiver: (partition: number) => (message: StreamMessage) => {
      const handled = receive(partition, message);
      running.add(handled);
      return handled.finally(() => running.delete(handled));
    },

    stats(): Pick<GatewayStats, 'lag_ms' | 'gaps' | 'redelivered' | 'sources'> {
      const sources = [...arrivals].map(([source, { host, lagMs, storedAtMs, byPartition }]) => {
        const last_event_at = new Date(storedAtMs).toISOString();
        return { source, host, lag_ms: lagMs, last_event_at, partitions: Object.fromEntries(byPartition) };
      });
      return {
        lag_ms: lastLagMs,
        gaps: gaps.current,
        redelivered: redelivered.current,
        sources: sources.sort((one, other) => other.lag_ms - one.lag_ms).slice(0, MAX_LISTED_SOURCES),
      };
    },

    /** Resolves when no message is handled anymore. */
    idle: async (): Promise<void> => void (await Promise.allSettled([...running])),
  };
}

/** Whether a fault would be the same if its message were delivered again. */
function isUnreadable(error: unknown): error is Fault {
  return error instanceof Fault && UNREADABLE.includes(error.code);
}
