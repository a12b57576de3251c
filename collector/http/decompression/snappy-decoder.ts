import { crc32c } from '@node-rs/crc32';
import { Fault } from '../../../core/event/fault.js';
import type { ChunkDecoder, HeldBytes } from './chunk-decoder.js';

type Snappy = typeof import('snappy');

const EMPTY: Buffer = Buffer.alloc(0);
/** A piece of output is at most this long. */
const PIECE_BYTES = 64 * 1024;
/** How a stream of the framing format begins; a block that begins so has a length of 895 and then nothing that is 895 bytes long. */
const STREAM_IDENTIFIER = Buffer.from('\xff\x06\0\0sNaPpY', 'latin1');
/** Most bytes in a chunk of the framing format. */
const MAX_FRAME_BYTES = 64 * 1024;

/** Opens a decoder of Snappy blocks or frames, as older Collectors confuse them. `maxBytes` bounds a block, which `held` counts until decoded. */
export async function openSnappy(maxBytes: number, held: HeldBytes): Promise<ChunkDecoder> {
  const snappy = await import('snappy');
  let begin = EMPTY;
  let format: ChunkDecoder | undefined;
  const open = (): ChunkDecoder =>
    begin.subarray(0, STREAM_IDENTIFIER.length).equals(STREAM_IDENTIFIER)
      ? new FrameDecoder(snappy)
      : createBlockDecoder(snappy, announcedLength(begin), maxBytes, held);
  return {
    decode(chunk) {
      if (format !== undefined) return format.decode(chunk);
      begin = Buffer.concat([begin, chunk]);
      if (begin.length < STREAM_IDENTIFIER.length) return [];
      format = open();
      return format.decode(begin);
    },
    end() {
      if (format !== undefined) return format.end();
      const short = open();
      short.decode(begin);
      return short.end();
    },
  };
}

/** https://github.com/google/snappy/blob/main/format_description.txt: a copy may refer to any earlier byte, so a block is decoded as a whole. */
function createBlockDecoder(snappy: Snappy, length: number, maxBytes: number, held: HeldBytes): ChunkDecoder {
  if (length > maxBytes) {
    throw new Fault('BODY_TOO_LARGE', `the body is larger than ${maxBytes} bytes: send it in parts`);
  }
  /** Has room for the longest block of this length, so that nothing is copied again. */
  const block = Buffer.allocUnsafeSlow(maxCompressedBytes(length));
  let bytes = 0;
  return {
    decode(chunk) {
      if (bytes + chunk.length > block.length) throw new Error('the snappy block goes on after its end');
      held.acquire(chunk.length);
      bytes += chunk.copy(block, bytes);
      return [];
    },
    async end() {
      held.acquire(length - bytes);
      return piecesOf((await snappy.uncompress(block.subarray(0, bytes))) as Buffer, held);
    },
  };
}

/** What is counted here passes to the reader, who counts what it receives. */
function* piecesOf(content: Buffer, held: HeldBytes): Generator<Buffer> {
  for (let at = 0; at < content.length; at += PIECE_BYTES) {
    const piece = content.subarray(at, at + PIECE_BYTES);
    held.release(piece.length);
    yield piece;
  }
}

/** Type and length of a chunk. */
const FRAME_HEADER_BYTES = 4;
/** The CRC-32C of the content. */
const CHECKSUM_BYTES = 4;
const UNCOMPRESSED = 1;
const FIRST_SKIPPABLE = 0x80;

/** https://github.com/google/snappy/blob/main/framing_format.txt */
class FrameDecoder implements ChunkDecoder {
  readonly #snappy: Snappy;
  /** Begins with a chunk that is not complete. */
  #input = EMPTY;
  /** Bytes of a skippable chunk that are still to come. */
  #toSkip = 0;

  constructor(snappy: Snappy) {
    this.#snappy = snappy;
  }

  *decode(received: Buffer): Generator<Buffer> {
    this.#input = Buffer.concat([this.#input, received]);
    this.#skip();
    while (this.#input.length >= FRAME_HEADER_BYTES) {
      const type = this.#input[0] ?? 0;
      const end = FRAME_HEADER_BYTES + this.#input.readUIntLE(1, 3);
      if (type >= FIRST_SKIPPABLE) {
        this.#toSkip = end;
        this.#skip();
        continue;
      }
      assertFrame(type, end - FRAME_HEADER_BYTES);
      if (this.#input.length < end) return;
      const frame = this.#input.subarray(FRAME_HEADER_BYTES, end);
      this.#input = this.#input.subarray(end);
      yield contentOf(this.#snappy, type, frame);
    }
  }

  #skip(): void {
    const skipped = Math.min(this.#toSkip, this.#input.length);
    this.#toSkip -= skipped;
    this.#input = this.#input.subarray(skipped);
  }

  end(): Buffer[] {
    if (this.#input.length > 0 || this.#toSkip > 0) throw incomplete();
    return [];
  }
}

function assertFrame(type: number, length: number): void {
  const isKnown = type <= UNCOMPRESSED;
  const longest = CHECKSUM_BYTES + maxCompressedBytes(MAX_FRAME_BYTES);
  if (!isKnown || length < CHECKSUM_BYTES || length > longest) throw new Error('a snappy chunk is not valid');
}

/** The content of a compressed (0) or uncompressed (1) chunk, whose first four bytes are its masked CRC-32C. */
function contentOf(snappy: Snappy, type: number, chunk: Buffer): Buffer {
  const data = chunk.subarray(4);
  if (type === 0 && announcedLength(data) > MAX_FRAME_BYTES) throw new Error('a snappy chunk is over 64 KiB');
  const content = type === 0 ? (snappy.uncompressSync(data) as Buffer) : data;
  const sum = crc32c(content);
  if ((((sum >>> 15) | (sum << 17)) + 0xa282ead8) >>> 0 !== chunk.readUInt32LE(0)) {
    throw new Error('the checksum of a snappy chunk differs');
  }
  return content;
}

/** The varint at the begin of a block: the library reserves as much. */
function announcedLength(block: Buffer): number {
  const bytes = block.subarray(0, 5);
  const last = bytes.findIndex((byte) => byte < 0x80);
  if (last < 0) throw incomplete();
  return bytes.subarray(0, last + 1).reduceRight((length, byte) => length * 128 + (byte & 0x7f), 0);
}

/** The longest block of `length` bytes, as Snappy bounds it. */
function maxCompressedBytes(length: number): number {
  return 32 + length + Math.ceil(length / 6);
}

function incomplete(): Error {
  return new Error('the snappy data is not complete');
}
