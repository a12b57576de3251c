import { hostname } from 'node:os';
import type { FollowedLine, FollowPosition } from '../../../core/storage/following/record-follower.js';
import { untilDone } from '../../component/until-done.js';
import {
  type Chunk,
  encodeChunk,
  formatPosition,
  MAX_CHUNK_BYTES,
  MAX_CHUNK_EVENTS,
  partitionOf,
} from '../../nats/chunk.js';
import type { fleetNames } from '../../nats/fleet-messages.js';
import type { NatsTransport, StreamSettings } from '../../nats/transport.js';
import type { ExportTelemetry } from '../sending/export-telemetry.js';
import { reasonOf } from '../sending/running-sender.js';
import type { AppliedPositions } from './applied-positions.js';

interface SendOptions {
  readonly source: string;
  /** Distinguishes messages that are sent again. */
  readonly epoch: number;
  readonly floor: FollowPosition;
  /** Where the current pass over the record began. */
  readonly passStart: FollowPosition;
  readonly partitions: number;
  readonly maxEvents: number;
  readonly names: ReturnType<typeof fleetNames>;
  readonly stream: StreamSettings;
  readonly transport: NatsTransport;
  readonly applied: AppliedPositions;
  readonly telemetry: ExportTelemetry;
  readonly stop: AbortSignal;
}

const MIN_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 5_000;

/** Sends events in chunks, those of a partition in order; retries until the servers store them. Returns false if it was stopped before. */
export async function sendLines(lines: readonly FollowedLine[], options: SendOptions): Promise<boolean> {
  const byPartition = new Map<number, FollowedLine[]>();
  for (const line of lines) {
    const partition = partitionOf(line.issueId, options.partitions);
    const known = byPartition.get(partition) ?? [];
    known.push(line);
    byPartition.set(partition, known);
  }
  const sent = [...byPartition].map(async ([partition, ofPartition]) => {
    for (const events of chunksOf(ofPartition, Math.min(options.maxEvents, MAX_CHUNK_EVENTS))) {
      if (!(await sendChunk(partition, events, options))) return false;
    }
    return true;
  });
  return (await Promise.all(sent)).every(Boolean);
}

function* chunksOf(lines: readonly FollowedLine[], maxEvents: number): Generator<FollowedLine[]> {
  let chunk: FollowedLine[] = [];
  let bytes = 0;
  for (const one of lines) {
    if (chunk.length >= maxEvents || (chunk.length > 0 && bytes + one.line.length > MAX_CHUNK_BYTES)) {
      yield chunk;
      [chunk, bytes] = [[], 0];
    }
    chunk.push(one);
    bytes += one.line.length;
  }
  yield chunk;
}

async function sendChunk(partition: number, lines: readonly FollowedLine[], options: SendOptions): Promise<boolean> {
  const { source, epoch, floor, passStart, names, applied, telemetry, transport } = options;
  const events = lines.map(({ eventId, after, line }) => ({ id: eventId, position: after, line }));
  const to = events.at(-1)?.position ?? passStart;
  const last = applied.lastOf(partition, passStart);
  const begin = { after: last ?? passStart, isExact: last !== undefined };
  const chunk: Chunk = { source, host: hostname(), partition, floor, ...begin, events };
  const messages = await encodeChunk(chunk, epoch);
  if (messages === undefined) {
    telemetry.countDropped(events.length, 'it is larger than the messages of a chunk may be together');
    return true;
  }
  // Before the servers answer: the gateway may be faster.
  const stored = applied.sent(partition, to);
  for (const [part, body] of messages.entries()) {
    const messageId = `${source}.${epoch}.${partition}.${formatPosition(to)}.${part}`;
    const publish = () => transport.publish(names.events(partition), body, { messageId });
    const sequence = await untilStored(publish, options);
    if (sequence === undefined) return false;
    stored(sequence);
  }
  telemetry.countSent(events.length);
  return true;
}

/** Repeats until the servers stored the message and returns its sequence; undefined if it was stopped before. */
async function untilStored(
  publish: () => Promise<{ readonly sequence: number }>,
  { telemetry, transport, stream, stop }: SendOptions,
): Promise<number | undefined> {
  const onFailure = async (error: unknown): Promise<void> => {
    telemetry.countAttempt('retry');
    // The stream may be missing; if it cannot be created, that is what to report.
    telemetry.reportFailing(await transport.ensureStream(stream).then(() => reasonOf(error), reasonOf));
  };
  const send = () => telemetry.trackInFlight(publish);
  const stored = await untilDone(send, { stop, firstMs: MIN_BACKOFF_MS, longestMs: MAX_BACKOFF_MS, onFailure });
  if (stored === undefined) return undefined;
  telemetry.countAttempt('success');
  telemetry.reportHealthy();
  return stored.sequence;
}
