import { Transform, type TransformCallback } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Fault } from '../../../core/event/fault.js';

/** Decodes one compressed body. Everything it throws but a `Fault` says that the data is not of its format. */
export interface ChunkDecoder {
  /** Returns what a chunk decodes to in pieces, each the work of a few milliseconds at most. */
  decode(chunk: Buffer): Iterable<Buffer>;
  /** Returns what is left, likewise in pieces; fails if the data is not complete. */
  end(): Iterable<Buffer> | Promise<Iterable<Buffer>>;
  /** Called once when nothing more is decoded, also of a body that ended early. */
  close?(): void;
}

/** Counts the bytes that a request holds; `acquire` throws `RECEIVER_BUSY` or `BODY_TOO_LARGE`. */
export interface HeldBytes {
  acquire(bytes: number): void;
  release(bytes: number): void;
}

/** Counts the window of a decoder, which keeps what it decoded last until its body ends; the request releases it. */
export class HeldWindow {
  readonly #maxBytes: number;
  readonly #held: HeldBytes;
  #bytes = 0;
  /** Of a decoder that fills its window before it gives any of it: what is held beyond what it gave. */
  #reservedBytes = 0;

  constructor(maxBytes: number, held: HeldBytes) {
    this.#maxBytes = maxBytes;
    this.#held = held;
  }

  /** Call with the length of each decoded piece. Throws as `HeldBytes.acquire`. */
  grow(decodedBytes: number): void {
    const bytes = Math.min(decodedBytes, this.#maxBytes - this.#bytes);
    if (bytes === 0) return;
    const reserved = Math.min(bytes, this.#reservedBytes);
    this.#reservedBytes -= reserved;
    this.#held.acquire(bytes - reserved);
    this.#bytes += bytes;
  }

  /** Call before input is decoded: holds the rest of the window. Throws as `HeldBytes.acquire`. */
  reserve(): void {
    const bytes = this.#maxBytes - this.#bytes - this.#reservedBytes;
    this.#held.acquire(bytes);
    this.#reservedBytes += bytes;
  }

  /** Call when all input was decoded and given: releases what is reserved. */
  settle(): void {
    this.#held.release(this.#reservedBytes);
    this.#reservedBytes = 0;
  }
}

/** A stream around a decoder: waits for its reader, and lets the event loop turn after each piece. */
export class DecoderStream extends Transform {
  readonly #open: () => Promise<ChunkDecoder>;
  #decoder: ChunkDecoder | undefined;
  /** Continues when the reader wants more. */
  #next: (() => void) | undefined;

  constructor(open: () => Promise<ChunkDecoder>) {
    super();
    this.#open = open;
  }

  override async _construct(done: (error?: Error | null) => void): Promise<void> {
    try {
      this.#decoder = await this.#open();
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.#send(() => this.#decoder?.decode(chunk), done);
  }

  override _flush(done: TransformCallback): void {
    this.#send(() => this.#decoder?.end(), done);
  }

  async #send(
    decode: () => Iterable<Buffer> | Promise<Iterable<Buffer>> | undefined,
    done: TransformCallback,
  ): Promise<void> {
    try {
      const pieces = (await decode()) ?? [];
      if (this.destroyed) return;
      for (const piece of pieces) {
        if (!this.push(piece)) {
          await new Promise<void>((resolve) => {
            this.#next = resolve;
          });
        }
        await nextTurn();
        if (this.destroyed) return;
      }
      done();
    } catch (error) {
      // With a code as the errors of node:zlib have.
      const corrupt = () =>
        Object.assign(new Error('the data is not of its format', { cause: error }), { code: 'Z_DATA_ERROR' });
      done(error instanceof Fault ? error : corrupt());
    }
  }

  /** A connection that lingers keeps the stream, but not the memory of its decoder. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#decoder?.close?.();
    this.#decoder = undefined;
    this.#next = undefined;
    done(error);
  }

  override _read(size: number): void {
    const next = this.#next;
    this.#next = undefined;
    if (next === undefined) super._read(size);
    else next();
  }
}
