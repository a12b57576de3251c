import { pipeline, Readable } from 'node:stream';
import { brotliDecompressSync } from 'node:zlib';
import { Fault } from '../../core/event/fault.js';
import { toEventId } from '../../core/event/ids.js';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../core/event/json.js';
import { hasCode } from '../../core/storage/files/system-error.js';
import type { HeldBody } from '../component/ingest-memory.js';
import { brotliWindowBytes, openBrotli } from '../http/decompression/content-encodings.js';
import { collectBeforeWork } from '../telemetry/garbage-collection.js';
import {
  type Chunk,
  type ChunkEvent,
  type ChunkPart,
  comparePositions,
  invalidMessage,
  isIndex,
  MAX_CHUNK_EVENTS,
  MAX_CONTENT_BYTES,
  MAX_SYNC_BYTES,
  parsePosition,
} from './chunk.js';

const NEWLINE = 0x0a;
/** A collector compresses chunks with the default window of zlib; a larger one would only cost memory. */
const MAX_WINDOW_BYTES = 4 * 1024 * 1024;
/** As in DNS. */
const MAX_HOST_LENGTH = 253;

/** Runs work one at a time. */
interface Turns {
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

/**
 * Decodes a chunk from all of its parts; its events are views of `content`, which the caller discards afterwards. Large chunks are
 * inflated in `turns`. Rejects with `NATS_MESSAGE_INVALID`, and as `HeldBody.add`.
 */
export async function decodeChunk(parts: readonly ChunkPart[], content: HeldBody, turns: Turns): Promise<Chunk> {
  const [first] = parts;
  if (first === undefined) throw invalidMessage('has no parts');
  await inflate(parts, content, turns);
  const plain = content.slice(0, content.bytes);
  const headEnd = plain.indexOf(NEWLINE);
  const head = parseJson(plain.toString('utf8', 0, Math.max(0, headEnd)));
  if (!isJsonObject(head)) throw invalidMessage('has no head');
  const { host, partition, floor: floorText, after: afterText, exact } = head;
  const [floor, after] = [parsePosition(floorText), parsePosition(afterText)];
  if (floor === undefined || after === undefined) throw invalidMessage('lacks positions');
  if (!isIndex(partition, Number.MAX_SAFE_INTEGER)) throw invalidMessage('lacks its partition');
  const events = readEvents(head, plain.subarray(headEnd + 1));
  checkRange(events, { after, to: first.to });
  return { source: first.source, host: printable(host), partition, floor, after, isExact: exact === true, events };
}

/** Reads as many lines as the head lists events. */
function readEvents({ events: entries }: JsonObject, lines: Buffer): ChunkEvent[] {
  if (!Array.isArray(entries) || entries.length > MAX_CHUNK_EVENTS) throw invalidMessage('does not list its events');
  let at = 0;
  const events = entries.map((entry): ChunkEvent => {
    const [idText, positionText] = Array.isArray(entry) ? entry : [];
    const id = typeof idText === 'string' ? toEventId(idText) : undefined;
    const position = parsePosition(positionText);
    const end = lines.indexOf(NEWLINE, at);
    if (id === undefined || position === undefined || end < 0) {
      throw invalidMessage('lacks the id or line of an event');
    }
    const line = lines.subarray(at, end);
    at = end + 1;
    return { id, position, line };
  });
  if (at !== lines.length) throw invalidMessage('has more lines than it lists events');
  return events;
}

/** A gateway moves its position over the range of a chunk: the events must be in order within it, and the last one must end it. */
function checkRange(events: readonly ChunkEvent[], { after, to }: Pick<Chunk, 'after'> & Pick<ChunkPart, 'to'>): void {
  let last = after;
  for (const { position } of events) {
    if (comparePositions(position, last) <= 0) throw invalidMessage('has events outside of their order');
    last = position;
  }
  if (events.length === 0 || comparePositions(last, to) !== 0) {
    throw invalidMessage('does not end where it says');
  }
}

function printable(host: JsonValue | undefined): string {
  return typeof host === 'string' ? host.slice(0, MAX_HOST_LENGTH).replace(/[^\x20-\x7e]/g, '?') : '';
}

/** Adds the decompressed parts to `content`. Nearly all chunks are small, and those are faster without another thread. */
async function inflate(parts: readonly ChunkPart[], content: HeldBody, turns: Turns): Promise<void> {
  const [first] = parts;
  if (brotliWindowBytes(first?.content ?? Buffer.alloc(0)) > MAX_WINDOW_BYTES) {
    throw invalidMessage(`has a window of more than ${MAX_WINDOW_BYTES} bytes`);
  }
  const small = parts.length === 1 && first !== undefined ? inflateSmall(first.content) : undefined;
  if (small === undefined) await turns.run(() => inflateLarge(parts, content));
  else content.add(small);
}

/** Undefined if the content is over `MAX_SYNC_BYTES`. */
function inflateSmall(compressed: Uint8Array): Buffer | undefined {
  try {
    return brotliDecompressSync(compressed, { maxOutputLength: MAX_SYNC_BYTES });
  } catch (error) {
    if (hasCode(error, 'ERR_BUFFER_TOO_LARGE')) return undefined;
    throw invalidMessage('cannot be decompressed');
  }
}

/** Ends as soon as the content is over its bound, or over what may be held. */
async function inflateLarge(parts: readonly ChunkPart[], content: HeldBody): Promise<void> {
  await collectBeforeWork();
  const compressed = Readable.from(parts.map((part) => part.content));
  try {
    // The decompression, which is read here, reports every failure.
    for await (const piece of pipeline(compressed, openBrotli(), () => undefined)) {
      if (content.bytes + piece.length > MAX_CONTENT_BYTES) {
        throw invalidMessage(`is larger than ${MAX_CONTENT_BYTES} bytes when it is decompressed`);
      }
      content.add(piece);
    }
  } catch (error) {
    throw error instanceof Fault ? error : invalidMessage('cannot be decompressed');
  }
}
