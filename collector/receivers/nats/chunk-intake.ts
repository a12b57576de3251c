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
export class ChunkIntake {
  readonly #options: ChunkIntakeOptions;
  readonly #queues = new Map<string, ChunkQueue>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #redelivered;
  readonly #gaps;
  readonly #arrivals = new Map<string, Arrival>();
  #lagMs = 0;
  #logAtMs = 0;

  constructor(options: ChunkIntakeOptions) {
    this.#options = options;
    const { id, meters } = options;
    this.#redelivered = meters.counter('faultline_receiver_redelivered_messages', { receiver: id });
    this.#gaps = meters.counter('faultline_receiver_gaps', { receiver: id });
  }

  /** Returns the function that receives the messages of a partition. */
  receiver(partition: number): (message: StreamMessage) => Promise<MessageReply> {
    return (message) => {
      const handled = this.#receive(partition, message);
      this.#running.add(handled);
      return handled.finally(() => this.#running.delete(handled));
    };
  }

  stats(): Pick<GatewayStats, 'lag_ms' | 'gaps' | 'redelivered' | 'sources'> {
    const sources = [...this.#arrivals].map(([source, { host, lagMs, storedAtMs, byPartition }]) => {
      const last_event_at = new Date(storedAtMs).toISOString();
      return { source, host, lag_ms: lagMs, last_event_at, partitions: Object.fromEntries(byPartition) };
    });
    return {
      lag_ms: this.#lagMs,
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
    try {
      const part = parseChunkPart(body);
      const target = this.#queueOf(part.source, partition);
      if (this.#isStored(part, partition)) return this.#acknowledgeRepeated(part.source);
      const parts = collectParts(target, part);
      if (parts === undefined) return ACK;
      return await target.queue.run(async () => {
        if (this.#isStored(part, partition)) return this.#acknowledgeRepeated(part.source);
        return await this.#store(await decodeChunk(part.source, parts), partition, target).catch((error: unknown) => {
          target.retryUntilMs = performance.now() + RETRY_WINDOW_MS;
          throw error;
        });
      });
    } catch (error) {
      const fault = toFault(error);
      if (!fault.retryable && performance.now() >= this.#logAtMs) {
        this.#logAtMs = performance.now() + LOG_INTERVAL_MS;
        this.#options.logger.error({ err: error, partition }, 'a message of the fleet is unusable');
      }
      if (fault.code !== 'NATS_MESSAGE_INVALID') return RETRY;
      // Delivered again it would be the same; the gap that it leaves is sent again.
      this.#options.account.count('rejected', fault.code);
      return ACK;
    }
  }

  #queueOf(source: string, partition: number): ChunkQueue {
    const key = `${source} ${partition}`;
    const never = Number.NEGATIVE_INFINITY;
    const fresh = () => ({ queue: new SerialQueue(), parts: new Map(), gapAtMs: never, retryUntilMs: never });
    const known = this.#queues.get(key) ?? fresh();
    this.#queues.set(key, known);
    return known;
  }

  #appliedOf(source: string, partition: number): FollowPosition | undefined {
    return parsePosition(this.#options.origins.applied.get(source)?.get(partition));
  }

  #isStored({ source, to }: ChunkPart, partition: number): boolean {
    const applied = this.#appliedOf(source, partition);
    return applied !== undefined && comparePositions(to, applied) <= 0;
  }

  #acknowledgeRepeated(source: string): MessageReply {
    this.#redelivered.add();
    this.#options.onStored(source);
    return ACK;
  }

  async #store(chunk: Chunk, partition: number, target: ChunkQueue): Promise<MessageReply> {
    const { source, host, floor, after, isExact } = chunk;
    if (chunk.partition !== partition) {
      throw new Fault(
        'NATS_MESSAGE_INVALID',
        `a chunk of partition ${chunk.partition} has the subject of ${partition}`,
      );
    }
    const stored = this.#appliedOf(source, partition) ?? floor;
    // Unless the chunk follows an event, the partition may have had none between what is stored and the floor.
    const applied = !isExact && comparePositions(stored, floor) < 0 ? floor : stored;
    if (comparePositions(after, applied) > 0) {
      if (performance.now() < target.retryUntilMs) return RETRY;
      this.#reportGap(source, { partition, after: applied }, target);
      // Everything behind the gap is sent again with it.
      return ACK;
    }
    const events = chunk.events.filter(({ position }) => comparePositions(position, stored) > 0);
    await storeEvents(events, chunk, this.#options, (last) => this.#noteStored(source, host, partition, last));
    return ACK;
  }

  #reportGap(source: string, request: ResendRequest, target: ChunkQueue): void {
    if (performance.now() - target.gapAtMs < GAP_INTERVAL_MS) return;
    target.gapAtMs = performance.now();
    this.#gaps.add();
    this.#options.logger.warn({ source, ...request }, 'events of a source are missing; it is asked to send them again');
    this.#options.onGap(source, request);
  }

  #noteStored(source: string, host: string, partition: number, { id }: ChunkEvent): void {
    const receivedAtMicros = parseEventId(id)?.receivedAtMicros;
    if (receivedAtMicros !== undefined) {
      const storedAtMs = Date.now();
      this.#lagMs = Math.max(0, Math.round(storedAtMs - receivedAtMicros / 1000));
      const { byPartition } = this.#arrivals.get(source) ?? { byPartition: new Map<number, number>() };
      byPartition.set(partition, this.#lagMs);
      this.#arrivals.set(source, { host, lagMs: this.#lagMs, storedAtMs, byPartition });
    }
    this.#options.onStored(source);
  }
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
