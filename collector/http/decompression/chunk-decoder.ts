import { Transform, type TransformCallback } from 'node:stream';

/** Decodes one compressed body. What it throws has a `code` as errors of node:zlib do. */
export interface ChunkDecoder {
  /** Returns what a chunk decodes to in pieces, each the work of a few milliseconds at most. */
  decode(chunk: Buffer): Iterable<Buffer>;
  /** Throws if the data is not complete. */
  end(): void;
}

/** A stream around a decoder: waits for its reader, and lets the event loop turn after each piece. */
export class DecoderStream extends Transform {
  readonly #open: () => ChunkDecoder | Promise<ChunkDecoder>;
  #decoder: ChunkDecoder | undefined;
  /** Continues when the reader wants more. */
  #next: (() => void) | undefined;

  constructor(open: () => ChunkDecoder | Promise<ChunkDecoder>) {
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
    const pieces = this.#decoder?.decode(chunk)[Symbol.iterator]();
    const step = (): void => {
      if (this.destroyed) return;
      try {
        const piece = pieces?.next();
        if (piece === undefined || piece.done === true) done();
        else if (this.push(piece.value)) setImmediate(step);
        else this.#next = step;
      } catch (error) {
        done(error as Error);
      }
    };
    step();
  }

  override _read(size: number): void {
    const next = this.#next;
    this.#next = undefined;
    if (next === undefined) super._read(size);
    else setImmediate(next);
  }

  override _flush(done: TransformCallback): void {
    try {
      this.#decoder?.end();
      done();
    } catch (error) {
      done(error as Error);
    }
  }
}

/** The error for data that is not of its format. */
export function corruptData(sentence: string): Error {
  return Object.assign(new Error(sentence), { code: 'Z_DATA_ERROR' });
}
