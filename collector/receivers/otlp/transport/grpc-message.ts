import { pipeline, type Readable } from 'node:stream';
import { quoted } from '../../../../config/values/printable.js';
import { Fault } from '../../../../core/event/fault.js';
import { HeldBody, type RequestMemory } from '../../../component/ingest-memory.js';
import { HeldWindow } from '../../../http/decompression/chunk-decoder.js';
import { ACCEPTED_ENCODINGS, contentEncoding, isDecoderError } from '../../../http/decompression/content-encodings.js';

/** Encoding and limits of a message. */
export interface MessageLimits {
  /** The call's `grpc-encoding`. */
  readonly encoding: string;
  /** After decompression. */
  readonly maxBytes: number;
  /** Counts the message while it arrives. */
  readonly held: RequestMemory;
}

/** A compressed flag and the length in four bytes. */
const PREFIX_BYTES = 5;

/**
 * Reads and decompresses the message of a unary call up to the end of its stream. Throws `BODY_TOO_LARGE`, `RECEIVER_BUSY`,
 * `GRPC_MESSAGE_INVALID`, `BODY_COMPRESSION_INVALID`, `GRPC_ENCODING_UNSUPPORTED` and, if the client disconnects, `BODY_ABORTED`.
 */
export async function readGrpcMessage(stream: Readable, { encoding, maxBytes, held }: MessageLimits): Promise<Buffer> {
  const body = new HeldBody(held);
  try {
    const chunks: AsyncIterableIterator<Buffer> = stream.iterator({ destroyOnReturn: false });
    const begin = await readPrefix(chunks);
    const length = begin.readUInt32BE(1);
    if (length > maxBytes) throw messageTooLarge(maxBytes);
    held.expect(length);
    const message = messageBytes(begin.subarray(PREFIX_BYTES), chunks, length);
    for await (const piece of begin[0] === 0 ? message : decompressed(message, { encoding, maxBytes, held })) {
      if (body.bytes + piece.length > maxBytes) throw messageTooLarge(maxBytes);
      body.add(piece);
    }
  } catch (error) {
    throw error instanceof Fault
      ? error
      : new Fault('BODY_ABORTED', 'the call ended before its message', { cause: error });
  }
  return body.slice(0, body.bytes);
}

/** Returns the first chunks up to the one that completes the prefix. */
async function readPrefix(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  let begin: Buffer = Buffer.alloc(0);
  while (begin.length < PREFIX_BYTES) {
    const { value, done } = await chunks.next();
    if (done === true) throw invalid('the call ends before its message');
    begin = begin.length === 0 ? value : Buffer.concat([begin, value]);
  }
  if ((begin[0] ?? 0) > 1) throw invalid('the first byte of the message says neither compressed (1) nor not (0)');
  return begin;
}

async function* messageBytes(first: Buffer, others: AsyncIterable<Buffer>, length: number): AsyncGenerator<Buffer> {
  let left = length - first.length;
  if (first.length > 0) yield first;
  for await (const chunk of others) {
    left -= chunk.length;
    if (left < 0) break;
    yield chunk;
  }
  if (left !== 0)
    throw invalid(`the message has ${left > 0 ? 'fewer' : 'more'} bytes than the ${length} of its prefix`);
}

async function* decompressed(
  message: AsyncGenerator<Buffer>,
  { encoding, maxBytes, held }: MessageLimits,
): AsyncGenerator<Buffer> {
  const decoding = contentEncoding(encoding);
  if (decoding === undefined) {
    const sentence = `grpc-encoding ${quoted(encoding)} is not supported for a compressed message: use ${ACCEPTED_ENCODINGS}`;
    throw new Fault('GRPC_ENCODING_UNSUPPORTED', sentence);
  }
  const { value: first = Buffer.alloc(0) } = await message.next();
  const window = new HeldWindow(decoding.windowBytes(first), held);
  if (decoding.isAhead) window.reserve();
  try {
    // The decoder, which is read here, reports every failure.
    for await (const piece of pipeline(
      continued(first, message),
      decoding.open(first, maxBytes, held),
      () => undefined,
    )) {
      window.grow(piece.length);
      yield piece;
    }
  } catch (error) {
    if (!isDecoderError(error)) throw error;
    const sentence = `the message is not whole ${encoding} data, as its grpc-encoding says`;
    throw new Fault('BODY_COMPRESSION_INVALID', sentence, { cause: error });
  }
}

async function* continued(first: Buffer, message: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* message;
}

/** The fault for a message over the limit. */
export function messageTooLarge(maxBytes: number): Fault {
  return new Fault('BODY_TOO_LARGE', `the message is larger than ${maxBytes} bytes: send it in parts`);
}

function invalid(sentence: string): Fault {
  return new Fault('GRPC_MESSAGE_INVALID', sentence);
}
