import { Fault } from '../../../core/event/fault.js';
import type { FollowPosition } from '../../../core/storage/following/record-follower.js';
import { parseEventId } from '../../../core/storage/record/partitions/event-id.js';
import type { GatewayStats } from '../../../generated/reader-answers.js';
import { toFault } from '../../http/messages/problem.js';
import {
  type Chunk,
  type ChunkEvent,
  type ChunkPart,
  comparePositions,
  decodeChunk,
  parseChunkPart,
  parsePosition,
} from '../../nats/chunk.js';
import type { ResendRequest } from '../../nats/fleet-messages.js';
import type { MessageReply, StreamMessage } from '../../nats/transport.js';
import type { Meters } from '../../telemetry/meters.js';
import { SerialQueue } from '../intake/serial-queue.js';
import { type ChunkTarget, storeEvents } from './store-events.js';

interface ChunkIntakeOptions extends ChunkTarget {
  readonly meters: Meters;
  /** Called when more of a source is stored, or was stored before. */
  readonly onStored: (source: string) => void;
  /** Called when events of a source are missing; repeated for the same gap every 2 s at most. */
  readonly onGap: (source: string, request: ResendRequest) => void;
}

/** Chunks of one source and partition, which are stored one after the other. */
interface ChunkQueue {
  readonly queue: SerialQueue;
  /** Messages of chunks that are not complete, by chunk. */
  readonly parts: Map<string, (ChunkPart | undefined)[]>;
  gapAtMs: number;
  /** Until then a gap may be a chunk that is delivered again. */
  retryUntilMs: number;
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
/** Chunks of one source and partition that wait for their other messages; the oldest are forgotten and sent again. */
const MAX_INCOMPLETE = 4;

/** Stores the events of chunks once each, and acknowledges a message when its events are durable. */
export type ChunkIntake = ReturnType<typeof createChunkIntake>;

/** Creates the intake of one receiver. */
export function createChunkIntake(options: ChunkIntakeOptions) {
  const { id, meters, origins, account, logger, onStored, onGap } = options;
  const queues = new Map<string, ChunkQueue>();
  const running = new Set<Promise<unknown>>();
  const redelivered = meters.counter('faultline_receiver_redelivered_messages', { receiver: id });
  const gaps = meters.counter('faultline_receiver_gaps', { receiver: id });
  const arrivals = new Map<string, Arrival>();
  let lastLagMs = 0;
  let logAtMs = 0;

  async function receive(partition: number, { body }: StreamMessage): Promise<MessageReply> {
    try {
      const part = parseChunkPart(body);
      const target = queueOf(part.source, partition);
      if (isStored(part, partition)) return acknowledgeRepeated(part.source);
      const parts = collectParts(target, part);
      if (parts === undefined) return ACK;
      return await target.queue.run(async () => {
        if (isStored(part, partition)) return acknowledgeRepeated(part.source);
        return await store(await decodeChunk(part.source, parts), partition, target).catch((error: unknown) => {
          target.retryUntilMs = performance.now() + RETRY_WINDOW_MS;
          throw error;
        });
      });
    } catch (error) {
      const fault = toFault(error);
      if (!fault.retryable && performance.now() >= logAtMs) {
        logAtMs = performance.now() + LOG_INTERVAL_MS;
        logger.error({ err: error, partition }, 'a message of the fleet is unusable');
      }
      if (fault.code !== 'NATS_MESSAGE_INVALID') return RETRY;
      // Delivered again it would be the same; the gap that it leaves is sent again.
      account.count('rejected', fault.code);
      return ACK;
    }
  }

  function queueOf(source: string, partition: number): ChunkQueue {
    const key = `${source} ${partition}`;
    const never = Number.NEGATIVE_INFINITY;
    const fresh = () => ({ queue: new SerialQueue(), parts: new Map(), gapAtMs: never, retryUntilMs: never });
    const known = queues.get(key) ?? fresh();
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
      const sentence = `a chunk of partition ${chunk.partition} has the subject of ${partition}`;
      throw new Fault('NATS_MESSAGE_INVALID', sentence);
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

/** Returns the content of a chunk if this message completes it. */
function collectParts({ parts: incomplete }: ChunkQueue, part: ChunkPart): Uint8Array[] | undefined {
  if (part.parts === 1) return [part.content];
  const parts = incomplete.get(part.name) ?? new Array<ChunkPart | undefined>(part.parts).fill(undefined);
  parts[part.part] = part;
  incomplete.set(part.name, parts);
  const complete = parts.flatMap((one) => one?.content ?? []);
  if (complete.length === part.parts) {
    incomplete.delete(part.name);
    return complete;
  }
  const [oldest] = incomplete.keys();
  if (incomplete.size > MAX_INCOMPLETE && oldest !== undefined) incomplete.delete(oldest);
  return undefined;
}
