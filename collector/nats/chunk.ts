import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants } from 'node:zlib';
import { Fault } from '../../core/event/fault.js';
import { type EventId, type IssueId, toEventId } from '../../core/event/ids.js';
import { isJsonObject, type JsonValue, parseJson } from '../../core/event/json.js';
import type { FollowPosition } from '../../core/storage/following/record-follower.js';

/** Bounds of a chunk; a larger event is a chunk of its own. */
export const MAX_CHUNK_EVENTS = 200;
export const MAX_CHUNK_BYTES = 512 * 1024;

/** An event of a chunk. */
export interface ChunkEvent {
  /** In the record of the source. */
  readonly id: EventId;
  /** Position behind it in the record of the source. */
  readonly position: FollowPosition;
  /** The raw line without newline. */
  readonly line: Buffer;
}

/** All events of one partition between two positions in the record of a source. */
export interface Chunk {
  /** UUID of the sending collector's data folder. */
  readonly source: string;
  /** Host name of the collector, printable, for people. */
  readonly host: string;
  readonly partition: number;
  /** Everything before it was applied by the gateways. */
  readonly floor: FollowPosition;
  /** The events begin here: none of the partition is between it and the first one. */
  readonly after: FollowPosition;
  /** Whether an event of the partition, or the beginning of the record, is right before `after`; else earlier ones may be before `floor`. */
  readonly isExact: boolean;
  /** In order of the record; at least one. */
  readonly events: readonly ChunkEvent[];
}

/** The partition of an issue, from 0. */
export function partitionOf(issueId: IssueId, partitions: number): number {
  // The beginning of a UUIDv5 is that of a hash over app, service and fingerprint.
  return Number.parseInt(issueId.slice(0, 8), 16) % partitions;
}

/** Orders positions in one record. */
export function comparePositions(one: FollowPosition, other: FollowPosition): number {
  return one.receivedAtMicros - other.receivedAtMicros || one.taken - other.taken;
}

/** The form of a position in messages and logs. */
export function formatPosition({ receivedAtMicros, taken, passed }: FollowPosition): string {
  return `${receivedAtMicros}.${taken}.${passed}`;
}

const POSITION = /^(\d{1,16})\.(\d{1,15})\.(\d{1,15})$/;

/** Parses the form of `formatPosition`; undefined for anything else. */
export function parsePosition(text: JsonValue | undefined): FollowPosition | undefined {
  const match = typeof text === 'string' ? POSITION.exec(text) : null;
  return match === null
    ? undefined
    : { receivedAtMicros: Number(match[1]), taken: Number(match[2]), passed: Number(match[3]) };
}

/** Most bytes of one message: below the servers' default `max_payload` of 1 MiB. */
const MAX_PART_BYTES = 768 * 1024;
/** Most messages of one chunk. */
const MAX_PARTS = 64;
/** Most bytes of the line of JSON before the events: about 100 for each of `MAX_CHUNK_EVENTS`. */
const MAX_HEAD_BYTES = 64 * 1024;
/** Most bytes of the content of a chunk before it is compressed: a larger event is not sent, and a gateway does not inflate more. */
export const MAX_CONTENT_BYTES = MAX_PARTS * MAX_PART_BYTES + MAX_HEAD_BYTES;
const NEWLINE = 0x0a;
/** Most bytes of the line of JSON before the content of a message. */
const MAX_MESSAGE_HEAD_BYTES = 1024;

/** The fastest quality: the next one needs twice the time for a fifth less. */
const COMPRESSION = { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } };
const compress = promisify<Uint8Array, typeof COMPRESSION, Buffer>(brotliCompress);
/** A larger content is compressed and decompressed in another thread. */
export const MAX_SYNC_BYTES = 1024 * 1024;

/** Encodes a chunk as messages: a line of JSON, and a part of the compressed content. Undefined if it is over `MAX_CONTENT_BYTES`. */
export async function encodeChunk(chunk: Chunk, epoch: number): Promise<Buffer[] | undefined> {
  const { source, host, partition, floor, after, isExact, events } = chunk;
  const head = {
    host,
    partition,
    floor: formatPosition(floor),
    after: formatPosition(after),
    exact: isExact,
    events: events.map(({ id, position }) => [id, formatPosition(position)]),
  };
  const lines = [Buffer.from(JSON.stringify(head)), ...events.map(({ line }) => line)];
  const plainBytes = lines.reduce((bytes, line) => bytes + line.length + 1, 0);
  if (plainBytes > MAX_CONTENT_BYTES) return undefined;
  const plain = Buffer.allocUnsafe(plainBytes);
  let at = 0;
  for (const line of lines) {
    at += line.copy(plain, at);
    plain[at++] = NEWLINE;
  }
  // In this thread it is faster than to hand it over: about a microsecond for each event.
  const isSmall = plain.length <= MAX_SYNC_BYTES;
  const content = isSmall ? brotliCompressSync(plain, COMPRESSION) : await compress(plain, COMPRESSION);
  const parts = Math.ceil(content.length / MAX_PART_BYTES);
  if (parts > MAX_PARTS) return undefined;
  const to = formatPosition(events.at(-1)?.position ?? after);
  return Array.from({ length: parts }, (_, part) => {
    const line = JSON.stringify({ version: 1, source, epoch, to, part, parts });
    return Buffer.concat([
      Buffer.from(`${line}\n`),
      content.subarray(part * MAX_PART_BYTES, (part + 1) * MAX_PART_BYTES),
    ]);
  });
}

/** A message of a chunk. */
export interface ChunkPart {
  readonly source: string;
  /** Names the pass of the source over its record in which it sent the chunk. */
  readonly epoch: number;
  /** Behind the last event of the chunk; with `epoch` the name of the chunk among those of the source and partition. */
  readonly to: FollowPosition;
  readonly part: number;
  readonly parts: number;
  /** A part of the compressed content. */
  readonly content: Uint8Array;
}

/** Parses a message. Throws `NATS_MESSAGE_INVALID`. */
export function parseChunkPart(body: Uint8Array): ChunkPart {
  const end = body.subarray(0, MAX_MESSAGE_HEAD_BYTES).indexOf(NEWLINE);
  const value = parseJson(Buffer.from(body.subarray(0, Math.max(0, end))).toString('utf8'));
  if (!isJsonObject(value)) throw invalidMessage('does not begin with a line of JSON');
  const { version, source, epoch, to: toText, part, parts } = value;
  if (version !== 1) throw invalidMessage(`has the version ${JSON.stringify(version)}, not 1`);
  const to = parsePosition(toText);
  if (typeof source !== 'string' || toEventId(source) === undefined || to === undefined) {
    throw invalidMessage('lacks its source or position');
  }
  if (!isIndex(epoch, Number.MAX_SAFE_INTEGER)) throw invalidMessage('lacks its epoch');
  if (!isIndex(part, MAX_PARTS) || !isIndex(parts, MAX_PARTS + 1) || part >= parts) {
    throw invalidMessage(`is part ${JSON.stringify(part)} of ${JSON.stringify(parts)}`);
  }
  return { source, epoch, to, part, parts, content: body.subarray(end + 1) };
}

/** Whether a value is an integer from 0 that is below a bound. */
export function isIndex(value: JsonValue | undefined, below: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < below;
}

/** A message that its gateway cannot use, now or later. */
export function invalidMessage(problem: string): Fault {
  return new Fault('NATS_MESSAGE_INVALID', `a message of the stream of events ${problem}`);
}
