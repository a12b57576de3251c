import type { Logger } from 'pino';
import type { ReceivedEvent } from '../../../core/contract/stages.js';
import { Fault } from '../../../core/event/fault.js';
import type { EventId } from '../../../core/event/ids.js';
import { decodeRawLine } from '../../../core/event/raw-line.js';
import { repeatsOf } from '../../../core/event/raw-payload.js';
import type { RejectedPayload } from '../../../core/storage/dead-letters/dead-letter.js';
import type { FollowPosition } from '../../../core/storage/following/record-follower.js';
import type { EventOrigin } from '../../../core/storage/origins/origin-line.js';
import type { OriginLog } from '../../../core/storage/origins/origin-log.js';
import { parseEventId } from '../../../core/storage/record/partitions/event-id.js';
import type { GatewayStats } from '../../../generated/reader-answers.js';
import type { Consumer } from '../../component/consumer.js';
import { toFault } from '../../http/messages/problem.js';
import {
  type Chunk,
  type ChunkEvent,
  type ChunkPart,
  comparePositions,
  decodeChunk,
  formatPosition,
  parseChunkPart,
  parsePosition,
} from '../../nats/chunk.js';
import type { ResendRequest } from '../../nats/fleet-messages.js';
import type { MessageReply, StreamMessage } from '../../nats/transport.js';
import type { ReceiverAccount } from '../../telemetry/ledger.js';
import type { Meters } from '../../telemetry/meters.js';
import { SerialQueue } from '../intake/serial-queue.js';

interface ChunkIntakeOptions {
  /** Component id of the receiver. */
  readonly id: string;
  readonly consumer: Consumer;
  readonly account: ReceiverAccount;
  readonly logger: Logger;
  readonly meters: Meters;
  readonly origins: OriginLog;
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

/** An event of a chunk with what is known of it here. */
interface IncomingEvent extends ChunkEvent {
  /** Undefined: the line is invalid, or the event is stored already. */
  readonly event?: ReceivedEvent;
  readonly stored?: EventId;
  readonly rejected?: RejectedPayload;
  /** Whether it repeats the occurrence of an earlier event, which must be stored before. */
  readonly isRepeat: boolean;
}

const ACK: MessageReply = { kind: 'ack' };
const RETRY: MessageReply = { kind: 'retry', delayMs: 1_000 };
const GAP_INTERVAL_MS = 2_000;
const RETRY_WINDOW_MS = 5_000;
const LOG_RETRY_MS = 1_000;
/** Shortest time between two lines about unusable messages. */
const LOG_INTERVAL_MS = 10_000;
const MAX_LISTED_SOURCES = 1_000;
/** Larger events are grouped in time slices by the store. */
const MAX_PREPARED_BYTES = 64 * 1024;
/** Chunks of one source and partition that wait for their other messages; the oldest are forgotten and sent again. */
const MAX_INCOMPLETE = 4;

/** Stores the events of chunks once each, and acknowledges a message when its events are durable. */
export class ChunkIntake {
  readonly #options: ChunkIntakeOptions;
  readonly #queues = new Map<string, ChunkQueue>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #redelivered;
  readonly #gaps;
  /** Of the last stored event, by source. */
  readonly #arrivals = new Map<
    string,
    { lagMs: number; storedAtMs: number; readonly byPartition: Map<number, number> }
  >();
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
    const sources = [...this.#arrivals].map(([source, { lagMs, storedAtMs, byPartition }]) => {
      const last_event_at = new Date(storedAtMs).toISOString();
      return { source, lag_ms: lagMs, last_event_at, partitions: Object.fromEntries(byPartition) };
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
    const { source, floor, after, isExact } = chunk;
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
    const incoming = events.map((event) => this.#decode(event));
    let done = 0;
    try {
      for (const group of groupsOf(incoming)) {
        await this.#storeGroup(source, partition, group);
        done += group.length;
      }
    } catch (error) {
      for (const { line, stored } of incoming.slice(done)) {
        if (stored !== undefined) this.#options.origins.putBack(line, stored);
      }
      throw error;
    }
    return ACK;
  }

  #reportGap(source: string, request: ResendRequest, target: ChunkQueue): void {
    if (performance.now() - target.gapAtMs < GAP_INTERVAL_MS) return;
    target.gapAtMs = performance.now();
    this.#gaps.add();
    this.#options.logger.warn({ source, ...request }, 'events of a source are missing; it is asked to send them again');
    this.#options.onGap(source, request);
  }

  async #storeGroup(source: string, partition: number, group: readonly IncomingEvent[]): Promise<void> {
    const { origins, onStored } = this.#options;
    const last = group.at(-1);
    if (last === undefined) return;
    const end = origins.begin();
    try {
      const to = formatPosition(last.position);
      const found = await this.#append(`nats:${source}:${partition}:${to}`, group);
      await this.#log({ source, partition, to, origins: found });
    } finally {
      end();
    }
    const receivedAtMicros = parseEventId(last.id)?.receivedAtMicros;
    if (receivedAtMicros !== undefined) {
      const storedAtMs = Date.now();
      this.#lagMs = Math.max(0, Math.round(storedAtMs - receivedAtMicros / 1000));
      const { byPartition } = this.#arrivals.get(source) ?? { byPartition: new Map<number, number>() };
      byPartition.set(partition, this.#lagMs);
      this.#arrivals.set(source, { lagMs: this.#lagMs, storedAtMs, byPartition });
    }
    onStored(source);
  }

  async #append(batchId: string, incoming: readonly IncomingEvent[]): Promise<EventOrigin[]> {
    const { id: receiver, consumer, account } = this.#options;
    const rejected = incoming.flatMap((one) => one.rejected ?? []);
    const events = incoming.flatMap(({ event }) => event ?? []);
    const isEmpty = events.length === 0 && rejected.length === 0;
    try {
      const outcomes = isEmpty ? [] : await consumer.consume({ receiver, events, batchId, rejected });
      for (const { code } of rejected) account.count('rejected', code);
      let next = 0;
      return incoming.map(({ id, event, stored }) => {
        if (event === undefined) return { origin: id, stored };
        const outcome = outcomes[next++];
        if (outcome?.kind === 'stored') account.stored({});
        else if (outcome?.kind === 'dropped') account.count(outcome.as, outcome.reason);
        return { origin: id, stored: outcome?.kind === 'stored' ? outcome.stored.event_id : undefined };
      });
    } catch (error) {
      account.count('refused', toFault(error).code, events.length);
      throw error;
    }
  }

  /** Small events are encoded and grouped now, so that their payloads are garbage before the disk writes. */
  #decode(chunked: ChunkEvent): IncomingEvent {
    const { line } = chunked;
    const { consumer, origins } = this.#options;
    const stored = origins.takeUnlogged(line);
    if (stored !== undefined) return { ...chunked, stored, isRepeat: false };
    try {
      const payload = decodeRawLine(line);
      const isRepeat = repeatsOf(payload.extra) !== undefined;
      const event = { payload, encoded: line };
      const isSmall = line.length <= MAX_PREPARED_BYTES;
      return { ...chunked, event: (isSmall && consumer.prepare?.(event)) || event, isRepeat };
    } catch (error) {
      const { code, message: reason } = toFault(error);
      const rejected = { code, field: '', reason, received: line, bytes: line.length };
      return { ...chunked, rejected, isRepeat: false };
    }
  }

  /** The events are stored: their ids must follow, or a repetition would store them again. */
  async #log(applied: Parameters<OriginLog['append']>[0]): Promise<void> {
    for (;;) {
      try {
        await this.#options.origins.append(applied);
        return;
      } catch (error) {
        if (error instanceof Fault && error.code === 'STORE_CLOSING') throw error;
        this.#options.logger.error({ err: error }, 'the ids of stored events could not be written; trying again');
        await new Promise((resolve) => setTimeout(resolve, LOG_RETRY_MS));
      }
    }
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

/** Splits events so that one that repeats another one's occurrence is stored after it. */
function* groupsOf(events: readonly IncomingEvent[]): Generator<IncomingEvent[]> {
  let group: IncomingEvent[] = [];
  for (const event of events) {
    if (group.length > 0 && event.isRepeat) {
      yield group;
      group = [];
    }
    group.push(event);
  }
  yield group;
}
