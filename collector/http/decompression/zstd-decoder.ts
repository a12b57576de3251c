import { Fault } from '../../../core/event/fault.js';
import type { ChunkDecoder } from './chunk-decoder.js';

/** The functions of libzstd, compiled to WebAssembly by the package zstddec; its own stream decoder ignores errors. */
interface Zstd {
  readonly memory: { readonly buffer: ArrayBuffer };
  malloc(bytes: number): number;
  ZSTD_createDCtx(): number;
  ZSTD_decompressStream(context: number, output: number, input: number): number;
}

/** What libzstd uses as a buffer: address, size and position, four bytes each. */
const BUFFER_BYTES = 12;
const INPUT_BYTES = 64 * 1024;
const OUTPUT_BYTES = 128 * 1024;
/** An error of libzstd. */
const WINDOW_TOO_LARGE = -16;
/** Instances that wait for the next body. Each occupies 16 MiB, of which what was used is resident. */
const MAX_IDLE = 4;
const idle: ZstdInstance[] = [];
let loading: Promise<WebAssembly.Module> | undefined;

/** Opens a decoder of Zstandard frames (RFC 8878). Throws `RECEIVER_BUSY` without memory for it. */
export async function openZstd(): Promise<ChunkDecoder> {
  loading ??= loadModule();
  const module = await loading;
  return new ZstdDecoder(idle.pop() ?? new ZstdInstance(module));
}

async function loadModule(): Promise<WebAssembly.Module> {
  const { ZSTDDecoder } = await import('zstddec/stream');
  return new Promise((resolve, reject) => {
    class ModuleLoader extends ZSTDDecoder {
      override _init({ module }: WebAssembly.WebAssemblyInstantiatedSource): void {
        resolve(module);
      }
    }
    new ModuleLoader().init().catch(reject);
  });
}

/** A context of libzstd in a memory of its own, which goes with it when a body ends early. */
class ZstdInstance {
  readonly #zstd: Zstd;
  readonly #view: DataView;
  readonly #memory: Buffer;
  readonly #context: number;
  readonly #input: number;
  readonly #output: number;

  constructor(module: WebAssembly.Module) {
    this.#zstd = instantiate(module);
    const { memory } = this.#zstd;
    // The memory never grows, so its views stay valid.
    this.#view = new DataView(memory.buffer);
    this.#memory = Buffer.from(memory.buffer);
    this.#context = this.#zstd.ZSTD_createDCtx();
    this.#input = this.#allocate(INPUT_BYTES);
    this.#output = this.#allocate(OUTPUT_BYTES);
  }

  /** Sets the input, of at most `INPUT_BYTES`. */
  feed(part: Buffer): void {
    this.#memory.set(part, this.#view.getUint32(this.#input, true));
    this.#view.setUint32(this.#input + 4, part.length, true);
    this.#view.setUint32(this.#input + 8, 0, true);
  }

  /** Decodes until the input ends or the output is full; `isAtEnd`: a frame is complete, and nothing of it is left. */
  decode(): { readonly piece: Buffer; readonly isAtEnd: boolean; readonly hasMore: boolean } {
    this.#view.setUint32(this.#output + 8, 0, true);
    const status = this.#zstd.ZSTD_decompressStream(this.#context, this.#output, this.#input);
    if (status === WINDOW_TOO_LARGE) refuseWindow();
    if (status < 0) throw new Error(`zstd error ${-status}`);
    const from = this.#view.getUint32(this.#output, true);
    const bytes = this.#view.getUint32(this.#output + 8, true);
    const isFed = this.#view.getUint32(this.#input + 8, true) < this.#view.getUint32(this.#input + 4, true);
    return {
      piece: Buffer.from(this.#memory.subarray(from, from + bytes)),
      isAtEnd: status === 0,
      hasMore: isFed || (bytes === OUTPUT_BYTES && status !== 0),
    };
  }

  #allocate(bytes: number): number {
    const buffer = this.#zstd.malloc(BUFFER_BYTES);
    this.#view.setUint32(buffer, this.#zstd.malloc(bytes), true);
    this.#view.setUint32(buffer + 4, bytes, true);
    return buffer;
  }
}

function instantiate(module: WebAssembly.Module): Zstd {
  try {
    const env = { emscripten_notify_memory_growth: refuseWindow };
    return new WebAssembly.Instance(module, { env }).exports as unknown as Zstd;
  } catch (error) {
    const sentence = 'too little memory to decompress zstd; send the request again later';
    throw new Fault('RECEIVER_BUSY', sentence, { cause: error, retryable: true });
  }
}

/** The first memory holds a window of 8 MiB, what every decoder should support (RFC 8878, 3.1.1.1.2), but not one of 16. */
function refuseWindow(): never {
  throw new Fault('BODY_TOO_LARGE', 'the zstd window is larger than 8 MiB: compress without --long or --ultra');
}

class ZstdDecoder implements ChunkDecoder {
  readonly #instance: ZstdInstance;
  #isAtEnd = false;

  constructor(instance: ZstdInstance) {
    this.#instance = instance;
  }

  *decode(chunk: Buffer): Generator<Buffer> {
    for (let start = 0; start < chunk.length; start += INPUT_BYTES) {
      this.#instance.feed(chunk.subarray(start, start + INPUT_BYTES));
      for (let hasMore = true; hasMore; ) {
        const decoded = this.#instance.decode();
        ({ isAtEnd: this.#isAtEnd, hasMore } = decoded);
        if (decoded.piece.length > 0) yield decoded.piece;
      }
    }
  }

  end(): Iterable<Buffer> {
    if (!this.#isAtEnd) throw new Error('the last zstd frame is not complete');
    if (idle.length < MAX_IDLE) idle.push(this.#instance);
    return [];
  }
}
