import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, brotliDecompress, brotliDecompressSync, constants } from 'node:zlib';
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
/** Most bytes of an uncompressed chunk. */
const MAX_INFLATED_BYTES = 1024 * 1024 * 1024;
const NEWLINE = 0x0a;
/** As in DNS. */
const MAX_HOST_LENGTH = 253;
/** Longer heads are refused. */
const MAX_HEAD_BYTES = 1024;

/** The fastest quality: the next one needs twice the time for a fifth less. */
const COMPRESSION = { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } };
const compress = promisify<Uint8Array, typeof COMPRESSION, Buffer>(brotliCompress);
const decompress = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(brotliDecompress);
/** A larger content is compressed and decompressed in another thread. */
const MAX_SYNC_BYTES = 1024 * 1024;

/** Encodes a chunk as messages: a line of JSON, and a part of the compressed content. Undefined if it needs more than `MAX_PARTS`. */
export async function encodeChunk(chunk: Chunk, epoch: number): Promise<Buffer[] | undefined> {
  const { source, host, partition, floor, after, isExact, events } = chunk;
  const head = {
    ...{ host, partition, floor: formatPosition(floor), after: formatPosition(after), exact: isExact },
    events: events.map(({ id, position }) => [id, formatPosition(position)]),
  };
  const lines = [Buffer.from(JSON.stringify(head)), ...events.map(({ line }) => line)];
  const plain = Buffer.allocUnsafe(lines.reduce((bytes, line) => bytes + line.length + 1, 0));
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
  /** Names the chunk among those of the source and partition. */
  readonly name: string;
  /** Behind the last event of the chunk. */
  readonly to: FollowPosition;
  readonly part: number;
  readonly parts: number;
  /** A part of the compressed content. */
  readonly content: Uint8Array;
}

/** Parses a message. Throws `NATS_MESSAGE_INVALID`. */
export function parseChunkPart(body: Uint8Array): ChunkPart {
  const end = body.subarray(0, MAX_HEAD_BYTES).indexOf(NEWLINE);
  const value = parseJson(Buffer.from(body.subarray(0, Math.max(0, end))).toString('utf8'));
  if (!isJsonObject(value)) throw invalid('does not begin with a line of JSON');
  const { version, source, epoch, to: toText, part, parts } = value;
  if (version !== 1) throw invalid(`has the version ${JSON.stringify(version)}, not 1`);
  const to = parsePosition(toText);
  if (typeof source !== 'string' || toEventId(source) === undefined || to === undefined) {
    throw invalid('lacks its source or position');
  }
  if (!isIndex(part, MAX_PARTS) || !isIndex(parts, MAX_PARTS + 1) || part >= parts) {
    throw invalid(`is part ${JSON.stringify(part)} of ${JSON.stringify(parts)}`);
  }
  return { source, name: `${epoch} ${toText}`, to, part, parts, content: body.subarray(end + 1) };
}

/** Decodes the content of a chunk from all of its parts. Rejects with `NATS_MESSAGE_INVALID`. */
export async function decodeChunk(source: string, parts: readonly Uint8Array[]): Promise<Chunk> {
  const content = await inflate(parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts));
  const end = content.indexOf(NEWLINE);
  const value = parseJson(content.toString('utf8', 0, Math.max(0, end)));
  if (!isJsonObject(value)) throw invalid('has no head');
  const { host, partition, floor: floorText, after: afterText, exact, events: entries } = value;
  const [floor, after] = [parsePosition(floorText), parsePosition(afterText)];
  if (floor === undefined || after === undefined) throw invalid('lacks positions');
  if (!isIndex(partition, Number.MAX_SAFE_INTEGER) || !Array.isArray(entries)) throw invalid('lacks its events');
  let at = end + 1;
  const events = entries.map((entry): ChunkEvent => {
    const [idText, positionText] = Array.isArray(entry) ? entry : [];
    const id = typeof idText === 'string' ? toEventId(idText) : undefined;
    const position = parsePosition(positionText);
    const lineEnd = content.indexOf(NEWLINE, at);
    if (id === undefined || position === undefined || lineEnd < 0) throw invalid('lacks the id or line of an event');
    const line = content.subarray(at, lineEnd);
    at = lineEnd + 1;
    return { id, position, line };
  });
  return { source, host: printable(host), partition, floor, after, isExact: exact === true, events };
}

function printable(host: JsonValue | undefined): string {
  return typeof host === 'string' ? host.slice(0, MAX_HOST_LENGTH).replace(/[^\x20-\x7e]/g, '?') : '';
}

async function inflate(compressed: Uint8Array): Promise<Buffer> {
  try {
    return brotliDecompressSync(compressed, { maxOutputLength: MAX_SYNC_BYTES });
  } catch {
    // Larger, or damaged.
  }
  return await decompress(compressed, { maxOutputLength: MAX_INFLATED_BYTES }).catch(() => {
    throw invalid('cannot be decompressed');
  });
}

function isIndex(value: JsonValue | undefined, below: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < below;
}

function invalid(problem: string): Fault {
  return new Fault('NATS_MESSAGE_INVALID', `a message of the stream of events ${problem}`);
}
