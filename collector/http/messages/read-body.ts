import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { quoted } from '../../../config/values/printable.js';
import { Fault } from '../../../core/event/fault.js';
import { RequestFault } from './http-fault.js';

/** Bounds of one request body. */
export interface BodyLimits {
  /** Counted after decompression; what comes over the wire has the same bound. */
  readonly maxBodyBytes: number;
  /** How long a sender may send nothing while we are ready to read. */
  readonly stallTimeoutMs: number;
}

/** Emitted on a request whose body nobody will wait for any longer, with the fault to answer. */
const INTERRUPTED = Symbol('interrupted');

/** Builds the decoder for a body whose first bytes are these. */
type OpenDecoder = (firstBytes: Buffer) => Transform;
const CHUNK_BYTES = 64 * 1024;
/** RFC 1950: the low half of the first byte of zlib data is 8; no encoder begins raw deflate data (RFC 1951) so. */
const isZlib = (firstBytes: Buffer) => ((firstBytes[0] ?? 0) & 0x0f) === 8;
const DECODERS: Readonly<Record<string, OpenDecoder>> = {
  gzip: () => createGunzip({ chunkSize: CHUNK_BYTES }),
  'x-gzip': () => createGunzip({ chunkSize: CHUNK_BYTES }),
  // Both kinds are sent under this name.
  deflate: (first) => (isZlib(first) ? createInflate : createInflateRaw)({ chunkSize: CHUNK_BYTES }),
  br: () => createBrotliDecompress({ chunkSize: CHUNK_BYTES }),
};

const waitingForContinue = new WeakMap<IncomingMessage, ServerResponse>();

/** Remembers a request whose sender waits for `100 Continue` before it sends the body (RFC 9110, 10.1.1). */
export function holdContinue(request: IncomingMessage, response: ServerResponse): void {
  waitingForContinue.set(request, response);
}

/** Ends the reading of a body that is still arriving: `readBody` throws the fault. Nothing happens where nobody reads one. */
export function interruptBody(request: IncomingMessage, fault: Fault): void {
  request.emit(INTERRUPTED, fault);
}

/** Takes the decoded body piece by piece. A promise holds the sender back until it settles; what is thrown ends the reading. */
export type BodySink = (chunk: Buffer) => void | Promise<void>;

/**
 * Reads a request body to its end, decompressed, without keeping it. Resolves with its length in decoded bytes. Settles after the sink has.
 * `onLength` hears the length that the sender announced, before any of the body is asked for; what it throws refuses the body.
 * Throws what the sink throws, the fault of `interruptBody`, and `BODY_TOO_LARGE`, `BODY_COMPRESSION_INVALID`, `CONTENT_ENCODING_UNSUPPORTED`, `BODY_STALLED`, `BODY_ABORTED`.
 */
export async function readBody(
  request: IncomingMessage,
  limits: BodyLimits,
  sink: BodySink,
  onLength?: (bytes: number) => void,
): Promise<number> {
  const openDecoder = decoderOf(request.headers['content-encoding']);
  const { maxBodyBytes, stallTimeoutMs } = limits;
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > maxBodyBytes) throw tooLarge(maxBodyBytes);
  onLength?.(length);
  askForBody(request);

  return new Promise((resolve, reject) => {
    let wireBytes = 0;
    let bytes = 0;
    let held: Promise<void> | undefined;
    let isOver = false;
    let decoder: Transform | undefined;

    const stall = setTimeout(() => {
      // Silence while we hold the sender back, or while the decoder does, is ours and not the sender's.
      if (held !== undefined || request.isPaused()) stall.refresh();
      else finish(stalled(stallTimeoutMs));
    }, stallTimeoutMs);

    function finish(error?: unknown): void {
      if (isOver) return;
      isOver = true;
      clearTimeout(stall);
      request.off('data', onWireChunk).off('end', onWireEnd).off('close', onWireClose).off(INTERRUPTED, finish);
      decoder?.destroy();
      const settle = () => (error === undefined ? resolve(bytes) : reject(error));
      // The reader of the body finishes the last piece before it learns how the body ended.
      if (held === undefined) settle();
      else held.then(settle, settle);
    }

    function onWireChunk(chunk: Buffer): void {
      wireBytes += chunk.length;
      stall.refresh();
      if (wireBytes > maxBodyBytes) finish(tooLarge(maxBodyBytes));
      else if (openDecoder === undefined) deliver(request, chunk);
      else {
        decoder ??= startDecoder(openDecoder(chunk));
        if (!decoder.write(chunk)) request.pause();
      }
    }

    function startDecoder(started: Transform): Transform {
      return started
        .on('data', (chunk: Buffer) => deliver(started, chunk))
        .on('drain', () => request.resume())
        .on('end', () => finish())
        .on('error', (cause) => finish(badCompression(request.headers['content-encoding'], cause)));
    }

    function deliver(source: Readable, chunk: Buffer): void {
      if (isOver) return;
      bytes += chunk.length;
      if (bytes > maxBodyBytes) {
        finish(tooLarge(maxBodyBytes));
        return;
      }
      try {
        const taking = sink(chunk);
        if (taking !== undefined) hold(source, taking);
      } catch (error) {
        finish(error);
      }
    }

    function hold(source: Readable, taking: Promise<void>): void {
      held = taking;
      source.pause();
      taking.then(() => {
        held = undefined;
        if (isOver) return;
        stall.refresh();
        source.resume();
      }, finish);
    }

    function onWireEnd(): void {
      if (decoder === undefined) finish();
      else decoder.end();
    }

    function onWireClose(): void {
      if (!request.readableEnded)
        finish(new Fault('BODY_ABORTED', 'the sender closed the connection before its body ended'));
    }

    request.on('data', onWireChunk).on('end', onWireEnd).on('close', onWireClose).on(INTERRUPTED, finish);
  });
}

/** Lets a sender that waits for it begin with the body. A request that is refused before is never asked for one. */
function askForBody(request: IncomingMessage): void {
  waitingForContinue.get(request)?.writeContinue();
  waitingForContinue.delete(request);
}

function tooLarge(maxBodyBytes: number): Fault {
  return new Fault('BODY_TOO_LARGE', `the body is larger than ${maxBodyBytes} bytes: send it in parts`);
}

function stalled(stallTimeoutMs: number): Fault {
  return new Fault('BODY_STALLED', `nothing more of the body came for ${stallTimeoutMs} ms: send it without pauses`);
}

function badCompression(encoding: string | undefined, cause: unknown): Fault {
  const sentence = `the body is not whole ${encoding} data, as its content-encoding says`;
  return new Fault('BODY_COMPRESSION_INVALID', sentence, { cause });
}

/** The decoder of a `Content-Encoding`; undefined when the body is sent as it is. Throws `CONTENT_ENCODING_UNSUPPORTED`. */
function decoderOf(contentEncoding: string | undefined): OpenDecoder | undefined {
  const encoding = contentEncoding?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return undefined;
  if (Object.hasOwn(DECODERS, encoding)) return DECODERS[encoding];
  throw new RequestFault(
    'CONTENT_ENCODING_UNSUPPORTED',
    `content encoding ${quoted(encoding)} is not supported: use gzip, deflate, br or none`,
    { headers: { 'accept-encoding': 'gzip, deflate, br' } },
  );
}
