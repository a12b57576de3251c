import { hostname } from 'node:os';
import type { FollowedLine, FollowPosition } from '../../../core/storage/following/record-follower.js';
import type { NatsExporterSettings } from '../../../generated/settings.js';
import { untilDone } from '../../component/until-done.js';
import {
  type Chunk,
  encodeChunk,
  formatPosition,
  MAX_CHUNK_BYTES,
  MAX_CHUNK_EVENTS,
  partitionOf,
} from '../../nats/chunk.js';
import { eventsStream, fleetNames } from '../../nats/fleet-messages.js';
import type { NatsTransport } from '../../nats/transport.js';
import type { ExportTelemetry } from '../sending/export-telemetry.js';
import { reasonOf } from '../sending/running-sender.js';
import type { AppliedPositions } from './applied-positions.js';

interface ChunkSenderOptions {
  readonly settings: NatsExporterSettings;
  /** UUID of this collector. */
  readonly source: string;
  readonly transport: NatsTransport;
  readonly applied: AppliedPositions;
  readonly telemetry: ExportTelemetry;
  readonly stop: AbortSignal;
}

/** One pass over the record: another one begins after each rewind. */
export interface RecordPass {
  /** Distinguishes its messages from those of the passes before. */
  readonly epoch: number;
  /** Where it began. */
  readonly start: FollowPosition;
}

const MIN_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 5_000;

/** Sends events in chunks to the servers of a fleet. */
export class ChunkSender {
  readonly #options: ChunkSenderOptions;

  constructor(options: ChunkSenderOptions) {
    this.#options = options;
  }

  /** Sends events, those of a partition in order; retries until the servers store them. `floor`: everything before is done. Returns false if it was stopped before. */
  async send(lines: readonly FollowedLine[], pass: RecordPass, floor: FollowPosition): Promise<boolean> {
    const { partitions, sending_queue: queue } = this.#options.settings;
    const maxEvents = Math.min(queue.max_batch_events, MAX_CHUNK_EVENTS);
    const sent = [...byPartition(lines, partitions)].map(async ([partition, ofPartition]) => {
      for (const events of chunksOf(ofPartition, maxEvents)) {
        if (!(await this.#sendChunk(partition, events, pass, floor))) return false;
      }
      return true;
    });
    return (await Promise.all(sent)).every(Boolean);
  }

  async #sendChunk(
    partition: number,
    lines: readonly FollowedLine[],
    { epoch, start }: RecordPass,
    floor: FollowPosition,
  ): Promise<boolean> {
    const { source, applied, telemetry, transport, settings } = this.#options;
    const events = lines.map(({ eventId, after, line }) => ({ id: eventId, position: after, line }));
    const to = events.at(-1)?.position ?? start;
    const last = applied.lastOf(partition, start);
    const chunk: Chunk = {
      source,
      host: hostname(),
      partition,
      floor,
      after: last ?? start,
      isExact: last !== undefined,
      events,
    };
    const messages = await encodeChunk(chunk, epoch);
    if (messages === undefined) {
      telemetry.countDropped(events.length, 'it is larger than the messages of a chunk may be together');
      return true;
    }
    // Before the servers answer: the gateway may be faster.
    const noteSequence = applied.sent(partition, to);
    const subject = fleetNames(settings.prefix).events(partition);
    for (const [part, body] of messages.entries()) {
      const messageId = `${source}.${epoch}.${partition}.${formatPosition(to)}.${part}`;
      const sequence = await this.#untilStored(() => transport.publish(subject, body, { messageId }));
      if (sequence === undefined) return false;
      noteSequence(sequence);
    }
    telemetry.countSent(events.length);
    return true;
  }

  /** Repeats until the servers stored the message and returns its sequence; undefined if it was stopped before. */
  async #untilStored(publish: () => Promise<{ readonly sequence: number }>): Promise<number | undefined> {
    const { telemetry, transport, settings, stop } = this.#options;
    const onFailure = async (error: unknown): Promise<void> => {
      telemetry.countAttempt('retry');
      // The stream may be missing; if it cannot be created, that is what to report.
      const ensured = transport.ensureStream(eventsStream(settings));
      telemetry.reportFailing(await ensured.then(() => reasonOf(error), reasonOf));
    };
    const send = () => telemetry.trackInFlight(publish);
    const stored = await untilDone(send, { stop, firstMs: MIN_BACKOFF_MS, longestMs: MAX_BACKOFF_MS, onFailure });
    if (stored === undefined) return undefined;
    telemetry.countAttempt('success');
    telemetry.reportHealthy();
    return stored.sequence;
  }
}

function byPartition(lines: readonly FollowedLine[], partitions: number): ReadonlyMap<number, FollowedLine[]> {
  const groups = new Map<number, FollowedLine[]>();
  for (const line of lines) {
    const partition = partitionOf(line.issueId, partitions);
    const group = groups.get(partition);
    if (group === undefined) groups.set(partition, [line]);
    else group.push(line);
  }
  return groups;
}

function* chunksOf(lines: readonly FollowedLine[], maxEvents: number): Generator<FollowedLine[]> {
  let chunk: FollowedLine[] = [];
  let bytes = 0;
  for (const line of lines) {
    if (chunk.length >= maxEvents || (chunk.length > 0 && bytes + line.line.length > MAX_CHUNK_BYTES)) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(line);
    bytes += line.line.length;
  }
  yield chunk;
}
