import { crc32c } from '@node-rs/crc32';
import { Fault } from '../../../core/event/fault.js';
import { type ChunkDecoder, corruptData } from './chunk-decoder.js';

const EMPTY: Buffer = Buffer.alloc(0);
/** A piece of output is about this long. */
const PIECE_BYTES = 64 * 1024;
/** How a stream of the framing format begins; a block that begins so has a length of 895 and then nothing that is 895 bytes long. */
const STREAM_IDENTIFIER = Buffer.from('\xff\x06\0\0sNaPpY', 'latin1');
/** Most bytes in a chunk of the framing format. */
const MAX_FRAME_BYTES = 64 * 1024;
/** The longest compressed form of these bytes, and their checksum. */
const MAX_COMPRESSED_FRAME_BYTES = 4 + 32 + MAX_FRAME_BYTES + Math.ceil(MAX_FRAME_BYTES / 6);

/**
 * Decodes Snappy, a block or the framing format: older Collectors send the framing format under the name of blocks. `maxBytes` bounds a
 * block, which announces its length.
 */
export class SnappyDecoder implements ChunkDecoder {
  readonly #maxBytes: number;
  #begin = EMPTY;
  #format: ChunkDecoder | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *decode(chunk: Buffer): Generator<Buffer> {
    if (this.#format === undefined) {
      this.#begin = joined(this.#begin, chunk);
      const start = this.#begin.subarray(0, STREAM_IDENTIFIER.length);
      const isFramed = start.equals(STREAM_IDENTIFIER.subarray(0, start.length));
      if (isFramed && start.length < STREAM_IDENTIFIER.length) return;
      this.#format = isFramed ? new SnappyFrames() : new SnappyBlock(this.#maxBytes);
      yield* this.#format.decode(this.#begin);
      this.#begin = EMPTY;
    } else yield* this.#format.decode(chunk);
  }

  end(): void {
    if (this.#format === undefined) throw incomplete();
    this.#format.end();
  }
}

/** https://github.com/google/snappy/blob/main/format_description.txt */
class SnappyBlock implements ChunkDecoder {
  readonly #maxBytes: number;
  /** Allocated when the length is known. Copies may refer to any earlier byte. */
  #output: Buffer | undefined;
  #written = 0;
  /** Bytes of the current literal that are still to come. */
  #literal = 0;
  /** The begin of an element. */
  #rest = EMPTY;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *decode(chunk: Buffer): Generator<Buffer> {
    const input = joined(this.#rest, chunk);
    let at = 0;
    if (this.#output === undefined) {
      const length = readVarint(input);
      this.#rest = input;
      if (length === undefined) return;
      if (length.value > this.#maxBytes) throw tooLarge(this.#maxBytes);
      this.#output = Buffer.allocUnsafeSlow(length.value);
      at = length.bytes;
    }
    let sent = this.#written;
    while (at < input.length) {
      const used =
        this.#literal > 0 ? this.#copyLiteral(this.#output, input, at) : this.#element(this.#output, input, at);
      if (used === 0) break;
      at += used;
      if (this.#written - sent < PIECE_BYTES) continue;
      yield this.#output.subarray(sent, this.#written);
      sent = this.#written;
    }
    this.#rest = input.subarray(at);
    if (this.#written > sent) yield this.#output.subarray(sent, this.#written);
  }

  end(): void {
    if (this.#written !== this.#output?.length || this.#rest.length > 0) throw incomplete();
  }

  #copyLiteral(output: Buffer, input: Buffer, at: number): number {
    const bytes = input.copy(output, this.#written, at, Math.min(at + this.#literal, at + PIECE_BYTES));
    this.#written += bytes;
    this.#literal -= bytes;
    return bytes;
  }

  /** Reads the element at `at`; returns its bytes without those of a literal, 0 if it is not complete. */
  #element(output: Buffer, input: Buffer, at: number): number {
    const tag = input[at] ?? 0;
    const kind = tag & 3;
    const high = tag >> 2;
    const extra = kind === 0 ? Math.max(0, high - 59) : ([0, 1, 2, 4][kind] ?? 0);
    if (at + 1 + extra > input.length) return 0;
    const number = extra === 0 ? 0 : input.readUIntLE(at + 1, extra);
    const left = output.length - this.#written;
    const length = kind === 0 ? (extra === 0 ? high : number) + 1 : kind === 1 ? (high & 7) + 4 : high + 1;
    if (length > left) throw corruptData('a snappy element goes beyond the length of its block');
    if (kind === 0) this.#literal = length;
    else this.#copy(output, kind === 1 ? ((tag >> 5) << 8) | number : number, length);
    return 1 + extra;
  }

  #copy(output: Buffer, offset: number, length: number): void {
    const start = this.#written - offset;
    if (offset === 0 || start < 0) throw corruptData('a snappy copy refers to bytes before its block');
    if (offset >= length) output.copyWithin(this.#written, start, start + length);
    else for (let index = 0; index < length; index++) output[this.#written + index] = output[start + index] ?? 0;
    this.#written += length;
  }
}

/** https://github.com/google/snappy/blob/main/framing_format.txt */
class SnappyFrames implements ChunkDecoder {
  #rest = EMPTY;
  /** Bytes of a skippable chunk that are still to come. */
  #skipped = 0;

  *decode(chunk: Buffer): Generator<Buffer> {
    let input = joined(this.#rest, chunk);
    for (;;) {
      const skipped = Math.min(this.#skipped, input.length);
      this.#skipped -= skipped;
      input = input.subarray(skipped);
      if (input.length < 4) break;
      const type = input[0] ?? 0;
      const end = 4 + input.readUIntLE(1, 3);
      if (type >= 0x80) this.#skipped = end;
      else {
        if (type > 1 || end < 8 || end > 4 + MAX_COMPRESSED_FRAME_BYTES)
          throw corruptData('a snappy chunk is not valid');
        if (input.length < end) break;
        yield contentOf(type, input.subarray(4, end));
        input = input.subarray(end);
      }
    }
    this.#rest = input;
  }

  end(): void {
    if (this.#rest.length > 0 || this.#skipped > 0) throw incomplete();
  }
}

/** The content of a compressed (0) or uncompressed (1) chunk, whose first four bytes are its masked CRC-32C. */
function contentOf(type: number, chunk: Buffer): Buffer {
  const data = chunk.subarray(4);
  const block = new SnappyBlock(MAX_FRAME_BYTES);
  const content = type === 1 ? data : Buffer.concat([...block.decode(data)]);
  if (type === 0) block.end();
  const sum = crc32c(content);
  if ((((sum >>> 15) | (sum << 17)) + 0xa282ead8) >>> 0 !== chunk.readUInt32LE(0)) {
    throw corruptData('the checksum of a snappy chunk differs');
  }
  return content;
}

/** Reads the varint of a length; undefined if it is not complete. */
function readVarint(input: Buffer): { readonly value: number; readonly bytes: number } | undefined {
  let value = 0;
  for (const [index, byte] of input.subarray(0, 5).entries()) {
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { value, bytes: index + 1 };
  }
  if (input.length >= 5) throw corruptData('the length of a snappy block has more than 32 bits');
  return undefined;
}

function joined(before: Buffer, after: Buffer): Buffer {
  return before.length === 0 ? after : Buffer.concat([before, after]);
}

function incomplete(): Error {
  return corruptData('the snappy data is not complete');
}

function tooLarge(maxBytes: number): Fault {
  return new Fault('BODY_TOO_LARGE', `the body is larger than ${maxBytes} bytes: send it in parts`);
}
