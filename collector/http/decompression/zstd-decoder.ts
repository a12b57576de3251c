import { Fault } from '../../../core/event/fault.js';
import { collectGarbage } from '../../telemetry/garbage-collection.js';
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
/** RFC 8878, 3.1.1.1.2: what every decoder should support. */
export const ZSTD_WINDOW_BYTES = 8 * 1024 * 1024;
/** Instances that wait for the next body. Each occupies 16 MiB, of which what was used is resident. */
const MAX_IDLE = 4;
/** An instance that decoded more is dropped after its body, because its window stays resident. */
const MAX_IDLE_WINDOW_BYTES = 1024 * 1024;
/** Above this many bytes of windows in dropped instances, garbage is collected before another one is made: V8 does not see them. */
const MAX_DROPPED_BYTES = 32 * 1024 * 1024;
let droppedBytes = 0;
const idle: ZstdInstance[] = [];
let loading: Promise<WebAssembly.Module> | undefined;

/** A context of libzstd. */
interface ZstdInstance {
  /** Sets the input, of at most `INPUT_BYTES`. */
  feed(part: Buffer): void;
  /** Decodes until the input ends or the output is full; `isAtEnd`: a frame is complete, and nothing of it is left. */
  decode(): { readonly piece: Buffer; readonly isAtEnd: boolean; readonly hasMore: boolean };
}

/** Opens a decoder of Zstandard frames (RFC 8878). Throws `RECEIVER_BUSY` without memory for it. */
export async function openZstd(): Promise<ChunkDecoder> {
  loading ??= loadModule();
  const module = await loading;
  if (idle.length === 0 && droppedBytes > MAX_DROPPED_BYTES) {
    if (!(await collectGarbage())) throw tooLittleMemory();
    droppedBytes = 0;
  }
  const instance = idle.pop() ?? createInstance(module);
  let isAtEnd = false;
  let decodedBytes = 0;
  return {
    *decode(chunk) {
      for (let start = 0; start < chunk.length; start += INPUT_BYTES) {
        instance.feed(chunk.subarray(start, start + INPUT_BYTES));
        for (let hasMore = true; hasMore; ) {
          const decoded = instance.decode();
          ({ isAtEnd, hasMore } = decoded);
          decodedBytes += decoded.piece.length;
          if (decoded.piece.length > 0) yield decoded.piece;
        }
      }
    },
    end() {
      if (!isAtEnd) throw new Error('the last zstd frame is not complete');
      return [];
    },
    close() {
      if (isAtEnd && idle.length < MAX_IDLE && decodedBytes <= MAX_IDLE_WINDOW_BYTES) idle.push(instance);
      else droppedBytes += Math.min(ZSTD_WINDOW_BYTES, decodedBytes);
    },
  };
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

/** Creates a context of libzstd in a memory of its own. */
function createInstance(module: WebAssembly.Module): ZstdInstance {
  const zstd = instantiate(module);
  // The memory never grows, so its views stay valid.
  const view = new DataView(zstd.memory.buffer);
  const memory = Buffer.from(zstd.memory.buffer);
  const allocate = (bytes: number): number => {
    const buffer = zstd.malloc(BUFFER_BYTES);
    view.setUint32(buffer, zstd.malloc(bytes), true);
    view.setUint32(buffer + 4, bytes, true);
    return buffer;
  };
  const context = zstd.ZSTD_createDCtx();
  const [input, output] = [allocate(INPUT_BYTES), allocate(OUTPUT_BYTES)];
  return {
    feed(part: Buffer): void {
      memory.set(part, view.getUint32(input, true));
      view.setUint32(input + 4, part.length, true);
      view.setUint32(input + 8, 0, true);
    },

    decode() {
      view.setUint32(output + 8, 0, true);
      const status = zstd.ZSTD_decompressStream(context, output, input);
      if (status === WINDOW_TOO_LARGE) refuseWindow();
      if (status < 0) throw new Error(`zstd error ${-status}`);
      const from = view.getUint32(output, true);
      const bytes = view.getUint32(output + 8, true);
      const isFed = view.getUint32(input + 8, true) < view.getUint32(input + 4, true);
      return {
        piece: Buffer.from(memory.subarray(from, from + bytes)),
        isAtEnd: status === 0,
        hasMore: isFed || (bytes === OUTPUT_BYTES && status !== 0),
      };
    },
  };
}

function instantiate(module: WebAssembly.Module): Zstd {
  try {
    const env = { emscripten_notify_memory_growth: refuseWindow };
    return new WebAssembly.Instance(module, { env }).exports as unknown as Zstd;
  } catch (error) {
    throw tooLittleMemory(error);
  }
}

function tooLittleMemory(cause?: unknown): Fault {
  const sentence = 'too little memory to decompress zstd; send the request again later';
  return new Fault('RECEIVER_BUSY', sentence, { cause, retryable: true });
}

/** The first memory holds a window of `ZSTD_WINDOW_BYTES`, but not one of twice that. */
function refuseWindow(): never {
  throw new Fault('BODY_TOO_LARGE', 'the zstd window is larger than 8 MiB: compress without --long or --ultra');
}
