import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { quoted } from '../../../config/values/printable.js';
import { Fault } from '../../../core/event/fault.js';
import { type HeldBytes, HeldWindow } from '../decompression/chunk-decoder.js';
import { ACCEPTED_ENCODINGS, type ContentEncoding, contentEncoding } from '../decompression/content-encodings.js';
import { RequestFault } from './http-fault.js';

/** Bounds of one request body. */
export interface BodyLimits {
  /** Applies to the decompressed body and to the bytes on the wire. */
  readonly maxBodyBytes: number;
  /** How long a sender may pause while we are reading. */
  readonly stallTimeoutMs: number;
}

interface BodyUse {
  /** Called with the announced length before the body is requested; its error refuses the body. */
  readonly onLength?: (bytes: number) => void;
  /** Counts what a decoder collects; what `sink` receives is the caller's. */
  readonly held?: HeldBytes;
}

const UNCOUNTED: HeldBytes = { acquire: () => undefined, release: () => undefined };

const INTERRUPT = Symbol('interrupt');

/** A request whose body is being read. */
interface ReadRequest extends IncomingMessage {
  /** Not an event: adding and removing its listener for every request is slow. */
  [INTERRUPT]?: (fault: Fault) => void;
}

const waitingForContinue = new WeakMap<IncomingMessage, ServerResponse>();

/** Defers `100 Continue` until the body is read (RFC 9110, 10.1.1). */
export function holdContinue(request: IncomingMessage, response: ServerResponse): void {
  waitingForContinue.set(request, response);
}

/** Makes `readBody` of a request fail with the fault; no effect if no body is being read. */
export function interruptBody(request: IncomingMessage, fault: Fault): void {
  (request as ReadRequest)[INTERRUPT]?.(fault);
}

/** Consumes the decoded body chunk by chunk. A returned promise pauses the sender until it settles; an error ends the reading. */
type BodySink = (chunk: Buffer) => void | Promise<void>;

/** Streams a decompressed body to `sink`, returns its decoded length, and throws `BODY_…`, `CONTENT_ENCODING_UNSUPPORTED` and faults of others. */
export async function readBody(
  request: IncomingMessage,
  limits: BodyLimits,
  sink: BodySink,
  use: BodyUse = {},
): Promise<number> {
  return readDecoded(request, limits, requestEncoding(request.headers['content-encoding']), sink, use);
}

/** Reads a body without decoding it, for a request that is accepted and dropped. Throws as `readBody`. */
export async function discardBody(request: IncomingMessage, limits: BodyLimits): Promise<void> {
  await readDecoded(request, limits, undefined, () => undefined, {});
}

function readDecoded(
  request: IncomingMessage,
  { maxBodyBytes, stallTimeoutMs }: BodyLimits,
  encoding: ContentEncoding | undefined,
  sink: BodySink,
  { onLength, held: heldBytes = UNCOUNTED }: BodyUse,
): Promise<number> {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > maxBodyBytes) throw tooLarge(maxBodyBytes);
  onLength?.(length);
  waitingForContinue.get(request)?.writeContinue();
  waitingForContinue.delete(request);

  return new Promise((resolve, reject) => {
    let wireBytes = 0;
    let bytes = 0;
    let held: Promise<void> | undefined;
    let isOver = false;
    let decoder: Transform | undefined;
    let window: HeldWindow | undefined;
    let undecodedChunks = 0;

    const stall = setTimeout(() => {
      // A pause while we or the decoder apply backpressure is not the sender's.
      if (held !== undefined || request.isPaused()) stall.refresh();
      else finish(stalled(stallTimeoutMs));
    }, stallTimeoutMs);

    function finish(error?: unknown): void {
      if (isOver) return;
      isOver = true;
      clearTimeout(stall);
      // After the end on the wire, no listener is called.
      if (!request.readableEnded) request.off('data', onWireChunk).off('end', onWireEnd).off('close', onWireClose);
      decoder?.destroy();
      const settle = () => (error === undefined ? resolve(bytes) : reject(error));
      // Settle after the sink has finished the last chunk.
      if (held === undefined) settle();
      else held.then(settle, settle);
    }

    function onWireChunk(chunk: Buffer): void {
      wireBytes += chunk.length;
      stall.refresh();
      if (wireBytes > maxBodyBytes) finish(tooLarge(maxBodyBytes));
      else if (encoding === undefined) deliver(request, chunk);
      else decode(encoding, chunk);
    }

    function decode({ open, windowBytes, isAhead }: ContentEncoding, chunk: Buffer): void {
      window ??= new HeldWindow(windowBytes(chunk), heldBytes);
      try {
        if (isAhead) window.reserve();
      } catch (error) {
        finish(error);
        return;
      }
      decoder ??= startDecoder(open(chunk, maxBodyBytes, heldBytes));
      undecodedChunks += 1;
      if (!decoder.write(chunk, onDecoded)) request.pause();
    }

    function onDecoded(): void {
      undecodedChunks -= 1;
      if (undecodedChunks === 0 && !isOver) window?.settle();
    }

    function startDecoder(started: Transform): Transform {
      return started
        .on('data', (chunk: Buffer) => deliver(started, chunk))
        .on('drain', () => request.resume())
        .on('end', () => finish())
        .on('error', (error) =>
          finish(error instanceof Fault ? error : badCompression(request.headers['content-encoding'], error)),
        );
    }

    function deliver(source: Readable, chunk: Buffer): void {
      if (isOver) return;
      bytes += chunk.length;
      if (bytes > maxBodyBytes) {
        finish(tooLarge(maxBodyBytes));
        return;
      }
      try {
        window?.grow(chunk.length);
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

    request.on('data', onWireChunk).on('end', onWireEnd).on('close', onWireClose);
    (request as ReadRequest)[INTERRUPT] = finish;
  });
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

/** The encoding of a `Content-Encoding`; undefined for identity. Throws `CONTENT_ENCODING_UNSUPPORTED`. */
function requestEncoding(header: string | undefined): ContentEncoding | undefined {
  const name = header?.trim().toLowerCase() ?? '';
  const encoding = contentEncoding(name);
  if (encoding !== undefined || name === '' || name === 'identity') return encoding;
  throw new RequestFault(
    'CONTENT_ENCODING_UNSUPPORTED',
    `content encoding ${quoted(name)} is not supported: use ${ACCEPTED_ENCODINGS} or none`,
    { headers: { 'accept-encoding': ACCEPTED_ENCODINGS } },
  );
}
