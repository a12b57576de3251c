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
  return new SnappyDecoder((begin) =>
    begin.subarray(0, STREAM_IDENTIFIER.length).equals(STREAM_IDENTIFIER)
      ? new SnappyFrames(snappy)
      : new SnappyBlock(snappy, announcedLength(begin), maxBytes, held),
  );
}

class SnappyDecoder implements ChunkDecoder {
  readonly #open: (begin: Buffer) => ChunkDecoder;
  #begin = EMPTY;
  #format: ChunkDecoder | undefined;

  constructor(open: (begin: Buffer) => ChunkDecoder) {
    this.#open = open;
  }

  decode(chunk: Buffer): Iterable<Buffer> {
    if (this.#format !== undefined) return this.#format.decode(chunk);
    this.#begin = Buffer.concat([this.#begin, chunk]);
    if (this.#begin.length < STREAM_IDENTIFIER.length) return [];
    this.#format = this.#open(this.#begin);
    return this.#format.decode(this.#begin);
  }

  end() {
    if (this.#format !== undefined) return this.#format.end();
    const short = this.#open(this.#begin);
    short.decode(this.#begin);
    return short.end();
  }
}

/** https://github.com/google/snappy/blob/main/format_description.txt: a copy may refer to any earlier byte, so a block is decoded as a whole. */
class SnappyBlock implements ChunkDecoder {
  readonly #snappy: Snappy;
  readonly #length: number;
  readonly #held: HeldBytes;
  /** Has room for the longest block of this length, so that nothing is copied again. */
  readonly #block: Buffer;
  #bytes = 0;

  constructor(snappy: Snappy, length: number, maxBytes: number, held: HeldBytes) {
    if (length > maxBytes) {
      throw new Fault('BODY_TOO_LARGE', `the body is larger than ${maxBytes} bytes: send it in parts`);
    }
    this.#snappy = snappy;
    this.#length = length;
    this.#held = held;
    this.#block = Buffer.allocUnsafeSlow(maxCompressedBytes(length));
  }

  decode(chunk: Buffer): Iterable<Buffer> {
    if (this.#bytes + chunk.length > this.#block.length) throw new Error('the snappy block goes on after its end');
    this.#held.acquire(chunk.length);
    this.#bytes += chunk.copy(this.#block, this.#bytes);
    return [];
  }

  async end(): Promise<Iterable<Buffer>> {
    this.#held.acquire(this.#length - this.#bytes);
    return this.#pieces((await this.#snappy.uncompress(this.#block.subarray(0, this.#bytes))) as Buffer);
  }

  /** What is counted here passes to the reader, who counts what it receives. */
  *#pieces(content: Buffer): Generator<Buffer> {
    for (let at = 0; at < content.length; at += PIECE_BYTES) {
      const piece = content.subarray(at, at + PIECE_BYTES);
      this.#held.release(piece.length);
      yield piece;
    }
  }
}

/** https://github.com/google/snappy/blob/main/framing_format.txt */
class SnappyFrames implements ChunkDecoder {
  readonly #snappy: Snappy;
  #rest = EMPTY;
  /** Bytes of a skippable chunk that are still to come. */
  #skipped = 0;

  constructor(snappy: Snappy) {
    this.#snappy = snappy;
  }

  *decode(chunk: Buffer): Generator<Buffer> {
    let input: Buffer = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const skipped = Math.min(this.#skipped, input.length);
      this.#skipped -= skipped;
      input = input.subarray(skipped);
      if (input.length < 4) break;
      const type = input[0] ?? 0;
      const end = 4 + input.readUIntLE(1, 3);
      if (type >= 0x80) this.#skipped = end;
      else {
        if (type > 1 || end < 8 || end > 8 + maxCompressedBytes(MAX_FRAME_BYTES)) {
          throw new Error('a snappy chunk is not valid');
        }
        if (input.length < end) break;
        yield this.#contentOf(type, input.subarray(4, end));
        input = input.subarray(end);
      }
    }
    this.#rest = input;
  }

  end(): Iterable<Buffer> {
    if (this.#rest.length > 0 || this.#skipped > 0) throw incomplete();
    return [];
  }

  /** The content of a compressed (0) or uncompressed (1) chunk, whose first four bytes are its masked CRC-32C. */
  #contentOf(type: number, chunk: Buffer): Buffer {
    const data = chunk.subarray(4);
    if (type === 0 && announcedLength(data) > MAX_FRAME_BYTES) throw new Error('a snappy chunk is over 64 KiB');
    const content = type === 0 ? (this.#snappy.uncompressSync(data) as Buffer) : data;
    const sum = crc32c(content);
    if ((((sum >>> 15) | (sum << 17)) + 0xa282ead8) >>> 0 !== chunk.readUInt32LE(0)) {
      throw new Error('the checksum of a snappy chunk differs');
    }
    return content;
  }
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
