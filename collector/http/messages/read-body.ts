import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { quoted } from '../../../config/values/printable.js';
import { Fault } from '../../../core/event/fault.js';
import { type HeldBytes, HeldWindow } from '../decompression/chunk-decoder.js';
import {
  ACCEPTED_ENCODINGS,
  type ContentEncoding,
  contentEncoding,
  sniffedEncoding,
} from '../decompression/content-encodings.js';
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
  /** Whether the first bytes of a body are believed before its `Content-Encoding`; default false. */
  readonly isSniffed?: boolean;
}

const UNCOUNTED: HeldBytes = { acquire: () => undefined, release: () => undefined };

const waitingForContinue = new WeakMap<IncomingMessage, ServerResponse>();
/** The readers of bodies that are being read. */
const readers = new WeakMap<IncomingMessage, BodyReader>();

/** Defers `100 Continue` until the body is read (RFC 9110, 10.1.1). */
export function holdContinue(request: IncomingMessage, response: ServerResponse): void {
  waitingForContinue.set(request, response);
}

/** Sends the `100 Continue` that was deferred; for what reads a body otherwise than by `readBody`. */
export function sendContinue(request: IncomingMessage): void {
  waitingForContinue.get(request)?.writeContinue();
  waitingForContinue.delete(request);
}

/** Makes `readBody` of a request fail with the fault; no effect if no body is being read. */
export function interruptBody(request: IncomingMessage, fault: Fault): void {
  readers.get(request)?.finish(fault);
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
  { onLength, held = UNCOUNTED, isSniffed = false }: BodyUse,
): Promise<number> {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > maxBodyBytes) throw tooLarge(maxBodyBytes);
  onLength?.(length);
  sendContinue(request);
  return new Promise((resolve, reject) => {
    const options = { request, maxBodyBytes, stallTimeoutMs, encoding, isSniffed, sink, held, resolve, reject };
    const reader = new BodyReader(options);
    readers.set(request, reader);
    reader.begin();
  });
}

interface BodyReaderOptions extends BodyLimits {
  readonly request: IncomingMessage;
  readonly encoding: ContentEncoding | undefined;
  readonly isSniffed: boolean;
  readonly sink: BodySink;
  readonly held: HeldBytes;
  /** Called with the decoded length. */
  readonly resolve: (bytes: number) => void;
  readonly reject: (error: unknown) => void;
}

/** Reads one body: wire → decoder, if it is compressed → sink. */
class BodyReader {
  readonly #options: BodyReaderOptions;
  /** Restarted by each chunk. */
  readonly #stall: NodeJS.Timeout;
  #encoding: ContentEncoding | undefined;
  #wireBytes = 0;
  #bytes = 0;
  #isOver = false;
  /** While the sink takes a chunk. */
  #taking: Promise<void> | undefined;
  #decoder: Transform | undefined;
  #window: HeldWindow | undefined;
  #undecodedChunks = 0;

  constructor(options: BodyReaderOptions) {
    this.#options = options;
    this.#encoding = options.encoding;
    this.#stall = setTimeout(() => this.#onStall(), options.stallTimeoutMs);
  }

  begin(): void {
    this.#options.request.on('data', this.#onWireChunk).on('end', this.#onWireEnd).on('close', this.#onWireClose);
  }

  /** Ends the reading, with an error or with what was read. Idempotent. */
  finish(error?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#stall);
    const { request, resolve, reject } = this.#options;
    // After the end on the wire, no listener is called.
    if (!request.readableEnded) {
      request.off('data', this.#onWireChunk).off('end', this.#onWireEnd).off('close', this.#onWireClose);
    }
    this.#decoder?.destroy();
    const settle = () => (error === undefined ? resolve(this.#bytes) : reject(error));
    // Settle after the sink has finished the last chunk.
    if (this.#taking === undefined) settle();
    else this.#taking.then(settle, settle);
  }

  #onStall(): void {
    // A pause while we or the decoder apply backpressure is not the sender's.
    if (this.#taking !== undefined || this.#options.request.isPaused()) this.#stall.refresh();
    else this.finish(stalled(this.#options.stallTimeoutMs));
  }

  readonly #onWireChunk = (chunk: Buffer): void => {
    const { request, maxBodyBytes, isSniffed } = this.#options;
    if (isSniffed && this.#wireBytes === 0) this.#encoding = sniffedEncoding(chunk, this.#encoding);
    this.#wireBytes += chunk.length;
    this.#stall.refresh();
    if (this.#wireBytes > maxBodyBytes) this.finish(tooLarge(maxBodyBytes));
    else if (this.#encoding === undefined) this.#deliver(request, chunk);
    else this.#decode(this.#encoding, chunk);
  };

  readonly #onWireEnd = (): void => {
    if (this.#decoder === undefined) this.finish();
    else this.#decoder.end();
  };

  readonly #onWireClose = (): void => {
    if (this.#options.request.readableEnded) return;
    this.finish(new Fault('BODY_ABORTED', 'the sender closed the connection before its body ended'));
  };

  #decode({ open, windowBytes, isAhead }: ContentEncoding, chunk: Buffer): void {
    const { request, maxBodyBytes, held } = this.#options;
    this.#window ??= new HeldWindow(windowBytes(chunk), held);
    try {
      if (isAhead) this.#window.reserve();
    } catch (error) {
      this.finish(error);
      return;
    }
    this.#decoder ??= this.#startDecoder(open(chunk, maxBodyBytes, held));
    this.#undecodedChunks += 1;
    if (!this.#decoder.write(chunk, this.#onDecoded)) request.pause();
  }

  readonly #onDecoded = (): void => {
    this.#undecodedChunks -= 1;
    if (this.#undecodedChunks === 0 && !this.#isOver) this.#window?.settle();
  };

  #startDecoder(decoder: Transform): Transform {
    const { request, encoding } = this.#options;
    const named = this.#encoding === encoding ? request.headers['content-encoding'] : undefined;
    return decoder
      .on('data', (chunk: Buffer) => this.#deliver(decoder, chunk))
      .on('drain', () => request.resume())
      .on('end', () => this.finish())
      .on('error', (error) => this.finish(error instanceof Fault ? error : badCompression(named, error)));
  }

  #deliver(source: Readable, chunk: Buffer): void {
    if (this.#isOver) return;
    const { maxBodyBytes, sink } = this.#options;
    this.#bytes += chunk.length;
    if (this.#bytes > maxBodyBytes) {
      this.finish(tooLarge(maxBodyBytes));
      return;
    }
    try {
      this.#window?.grow(chunk.length);
      const taking = sink(chunk);
      if (taking !== undefined) this.#pauseWhile(taking, source);
    } catch (error) {
      this.finish(error);
    }
  }

  #pauseWhile(taking: Promise<void>, source: Readable): void {
    this.#taking = taking;
    source.pause();
    taking.then(
      () => {
        this.#taking = undefined;
        if (this.#isOver) return;
        this.#stall.refresh();
        source.resume();
      },
      (error: unknown) => this.finish(error),
    );
  }
}

function tooLarge(maxBodyBytes: number): Fault {
  return new Fault('BODY_TOO_LARGE', `the body is larger than ${maxBodyBytes} bytes: send it in parts`);
}

function stalled(stallTimeoutMs: number): Fault {
  return new Fault('BODY_STALLED', `nothing more of the body came for ${stallTimeoutMs} ms: send it without pauses`);
}

/** `named`: the encoding by the header; undefined if the first bytes decided. */
function badCompression(named: string | undefined, cause: unknown): Fault {
  const sentence =
    named === undefined
      ? 'the body begins like compressed data, but is not whole'
      : `the body is not whole ${named} data, as its content-encoding says`;
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
