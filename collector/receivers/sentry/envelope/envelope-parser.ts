import { quoted } from '../../../../config/values/printable.js';
import { Fault } from '../../../../core/event/fault.js';
import { isJsonObject, type JsonObject } from '../../../../core/event/json.js';
import type { HeldBody } from '../../../component/ingest-memory.js';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Header lines of SDKs are below 2 KiB. */
const MAX_HEADER_BYTES = 64 * 1024;

/** Parses a header line, items 13 and 20; undefined for a blank one, item 19. `of` names its owner. Throws `ENVELOPE_MALFORMED`. */
function parseHeaderLine(line: Buffer, of: string): JsonObject | undefined {
  let text: string | undefined;
  try {
    text = UTF8.decode(line);
    if (text.trim() === '') return undefined;
    const header: unknown = JSON.parse(text);
    if (isJsonObject(header)) return header;
  } catch (cause) {
    throw malformedEnvelope(
      `the header of ${of} is not ${text === undefined ? 'UTF-8' : `JSON: ${quoted(text)}`}`,
      cause,
    );
  }
  throw malformedEnvelope(`the header of ${of} is not a JSON object: ${quoted(text)}`);
}

function lengthOf(header: JsonObject, of: string): number | undefined {
  const length = header['length'] ?? undefined;
  if (length === undefined) return undefined;
  if (typeof length === 'number' && Number.isSafeInteger(length) && length >= 0) return length;
  throw malformedEnvelope(`the length of ${of} is not a number of bytes`);
}

/** Receives the parts of an envelope in order. A throw from `header` ends the parsing. */
interface EnvelopeSink<Type> {
  header(header: JsonObject): void;
  /** A complete item of a wanted type, without its payload if it exceeds its bound. */
  item(type: Type, payload: Buffer | undefined, bytes: number): void;
  /** An item of any other type. */
  skipped(isMinidump: boolean): void;
}

interface ItemInProgress<Type> {
  readonly header: JsonObject;
  /** Undefined for a type that is not wanted, as is `maxBytes`. */
  readonly type: Type | undefined;
  readonly maxBytes: number | undefined;
  /** Undefined for an item that ends at a line break. */
  readonly length: number | undefined;
  bytes: number;
}

const LINE_FEED = 0x0a;
/** `attachment_type` of a minidump. */
const MINIDUMP = 'event.minidump';
/** SDKs send at most a few hundred. */
const MAX_ITEMS = 10_000;

/** Creates the parser of an envelope that arrives, items 13 to 24, which buffers only payloads of `wanted` types, with their most bytes. Order: `push` for each chunk, `end`. */
export function createEnvelopeParser<Type extends string>(
  wanted: ReadonlyMap<Type, number>,
  pieces: HeldBody,
  sink: EnvelopeSink<Type>,
) {
  let state: 'header' | 'payload' | 'separator' = 'header';
  let isHeaderRead = false;
  let items = 0;
  let item: ItemInProgress<Type> | undefined;

  /** Names the current header or payload in error messages. */
  const where = (): string => (isHeaderRead ? `item ${items + (state === 'header' ? 1 : 0)}` : 'the envelope');

  function readHeader(chunk: Buffer, at: number): number {
    const lineEnd = chunk.indexOf(LINE_FEED, at);
    const end = lineEnd === -1 ? chunk.length : lineEnd;
    if (pieces.bytes + end - at > MAX_HEADER_BYTES) {
      throw malformedEnvelope(`the header of ${where()} is longer than ${MAX_HEADER_BYTES} bytes`);
    }
    const part = chunk.subarray(at, end);
    if (lineEnd === -1) {
      pieces.add(part);
      return end;
    }
    const header = parseHeader(part);
    if (!isHeaderRead) beginEnvelope(header);
    else if (header !== undefined) beginItem(header);
    return lineEnd + 1;
  }

  /** Parses a header line whose last part this is. */
  function parseHeader(last: Buffer): JsonObject | undefined {
    if (pieces.bytes === 0) return parseHeaderLine(last, where());
    pieces.add(last);
    const line = pieces.copy();
    pieces.discard();
    return parseHeaderLine(line, where());
  }

  function beginEnvelope(header: JsonObject | undefined): void {
    if (header === undefined) throw malformedEnvelope('it does not begin with a header');
    isHeaderRead = true;
    sink.header(header);
  }

  function beginItem(header: JsonObject): void {
    const length = lengthOf(header, where());
    if (items >= MAX_ITEMS) {
      throw new Fault('ENVELOPE_TOO_LONG', `one envelope takes ${MAX_ITEMS} items: send the others in further ones`);
    }
    items++;
    const type = header['type'] as Type;
    const maxBytes = wanted.get(type);
    item = { header, type: maxBytes === undefined ? undefined : type, maxBytes, length, bytes: 0 };
    state = 'payload';
    if (length === 0) endItem(item);
  }

  function readPayload(open: ItemInProgress<Type>, chunk: Buffer, at: number): number {
    if (open.length !== undefined) {
      const end = Math.min(chunk.length, at + open.length - open.bytes);
      buffer(open, chunk.subarray(at, end));
      if (open.bytes === open.length) endItem(open);
      return end;
    }
    const lineEnd = chunk.indexOf(LINE_FEED, at);
    buffer(open, chunk.subarray(at, lineEnd === -1 ? chunk.length : lineEnd));
    if (lineEnd === -1) return chunk.length;
    endItem(open);
    return lineEnd;
  }

  function readSeparator(chunk: Buffer, at: number): number {
    if (chunk[at] !== LINE_FEED) throw malformedEnvelope(`item ${items} is longer than its length`);
    state = 'header';
    return at + 1;
  }

  function buffer(open: ItemInProgress<Type>, part: Buffer): void {
    open.bytes += part.length;
    if (open.maxBytes === undefined) return;
    if (Math.max(open.bytes, open.length ?? 0) > open.maxBytes) pieces.discard();
    else pieces.add(part);
  }

  function endItem({ header, type, maxBytes = 0, bytes }: ItemInProgress<Type>): void {
    item = undefined;
    state = 'separator';
    if (type === undefined) sink.skipped(header['attachment_type'] === MINIDUMP);
    else sink.item(type, bytes > maxBytes ? undefined : pieces.take(), bytes);
  }

  return {
    /** Parses the next bytes, which must not change afterwards. */
    push(chunk: Buffer): void {
      let at = 0;
      while (at < chunk.length) {
        if (state === 'header') at = readHeader(chunk, at);
        else at = item === undefined ? readSeparator(chunk, at) : readPayload(item, chunk, at);
      }
    },

    /** The end of the body. */
    end(): void {
      if (item?.length !== undefined) {
        throw malformedEnvelope(`it ends after ${item.bytes} of the ${item.length} bytes of item ${items}`);
      }
      if (item !== undefined) endItem(item);
      else if (pieces.bytes > 0) {
        const header = parseHeader(Buffer.alloc(0));
        if (!isHeaderRead) beginEnvelope(header);
        else if (header !== undefined) throw malformedEnvelope(`it ends after the header of ${where()}`);
      } else if (!isHeaderRead) throw new Fault('BODY_EMPTY', 'the body is empty: send an envelope');
    },
  };
}

function malformedEnvelope(reason: string, cause?: unknown): Fault {
  return new Fault('ENVELOPE_MALFORMED', `the body is not a Sentry envelope: ${reason}`, { cause });
}
