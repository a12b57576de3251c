import { parseSize } from '../../config/values/size.js';
import { Fault } from '../../core/event/fault.js';
import type { IngestSettings } from '../../generated/settings.js';
import type { HeldBytes } from '../http/decompression/chunk-decoder.js';
import { availableBytes } from '../telemetry/available-memory.js';
import { Meters } from '../telemetry/meters.js';

/** Decoding a request takes up to six times its bytes, and joining its pieces once more: docs/decisions/0003. */
const DEFAULT_SHARE = 12;
const MOST_BY_DEFAULT = 256 * 1024 * 1024;

/** The value of `service.ingest.max_memory` in bytes; `0` is 1/12 of the available memory, at most 256 MiB. */
export function ingestBytesOf({ max_memory: maxMemory }: IngestSettings): number {
  const bytes = parseSize(maxMemory);
  return bytes > 0 ? bytes : Math.min(MOST_BY_DEFAULT, Math.floor(availableBytes() / DEFAULT_SHARE));
}

/** The share of one request in the budget. */
export interface RequestMemory extends HeldBytes {
  /** Throws as `acquire` without taking anything, for example for a length that the sender announced. */
  expect(bytes: number): void;
  /** Counts bytes as held, or throws `RECEIVER_BUSY` (retryable) or `BODY_TOO_LARGE` and counts nothing. */
  acquire(bytes: number): void;
  /** Releases everything that is held. Idempotent. */
  releaseAll(): void;
}

/** The budget for the decompressed bytes that all receivers of the process hold. */
export class IngestMemory {
  /** Bytes; a lower value applies to later requests. */
  maxBytes: number;
  #heldBytes = 0;
  readonly #refused;

  /** Default: unlimited. */
  constructor(maxBytes = Number.POSITIVE_INFINITY, meters: Meters = new Meters()) {
    this.maxBytes = maxBytes;
    this.#refused = meters.counter('faultline_ingest_refused_requests');
    meters.gauge('faultline_ingest_held_bytes', {}, () => this.#heldBytes);
    meters.gauge('faultline_ingest_limit_bytes', {}, () => this.maxBytes);
  }

  /** Starts the account of one request, its share in the budget, which ends with `releaseAll`. */
  begin(): RequestMemory {
    let held = 0;
    const add = (bytes: number): void => {
      held += bytes;
      this.#heldBytes += bytes;
    };
    return {
      expect: (bytes) => this.#check(bytes, held),
      acquire: (bytes) => {
        this.#check(bytes, held);
        add(bytes);
      },
      release: (bytes) => add(-bytes),
      releaseAll: () => add(-held),
    };
  }

  #check(bytes: number, ofRequest: number): void {
    if (this.#heldBytes + bytes <= this.maxBytes) return;
    this.#refused.add();
    if (ofRequest + bytes > this.maxBytes) {
      const sentence = `the request is larger than the ${this.maxBytes} bytes that all requests together may hold: split it`;
      throw new Fault('BODY_TOO_LARGE', sentence);
    }
    const sentence = 'the requests in flight hold too many bytes; send the request again later';
    throw new Fault('RECEIVER_BUSY', sentence, { retryable: true });
  }
}

/** The pieces of a body or of a part of one, counted as held by their request. */
export class HeldBody {
  readonly #held: HeldBytes;
  #pieces: Buffer[] = [];
  /** Offset of the first piece that was not dropped. */
  #offset = 0;
  /** Bytes added so far, including dropped pieces. */
  bytes = 0;

  constructor(held: HeldBytes) {
    this.#held = held;
  }

  /** Throws `RECEIVER_BUSY` or `BODY_TOO_LARGE` and then adds nothing. */
  add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#held.acquire(piece.length);
    this.#pieces.push(piece);
    this.bytes += piece.length;
  }

  /** Returns bytes, without a copy if one piece holds them, and drops earlier pieces, which stay counted; offsets must not decrease. */
  slice(start: number, end: number): Buffer {
    this.#dropBefore(start);
    const [first] = this.#pieces;
    if (first !== undefined && end - this.#offset <= first.length) {
      return first.subarray(start - this.#offset, end - this.#offset);
    }
    const parts: Buffer[] = [];
    let offset = this.#offset;
    for (const piece of this.#pieces) {
      if (offset >= end) break;
      parts.push(piece.subarray(Math.max(0, start - offset), end - offset));
      offset += piece.length;
    }
    return Buffer.concat(parts);
  }

  /** Returns a copy of all pieces followed by `following`; keeps the pieces. */
  copy(...following: readonly Buffer[]): Buffer {
    return Buffer.concat([...this.#pieces, ...following]);
  }

  /** Returns a copy of all pieces, still counted, and starts over. A copy, because a piece keeps its whole chunk alive. */
  take(): Buffer {
    const joined = this.copy();
    this.#begin();
    return joined;
  }

  /** Releases the pieces, not what was taken, and starts over. Idempotent. */
  discard(): void {
    this.#held.release(this.bytes);
    this.#begin();
  }

  #begin(): void {
    this.#pieces = [];
    this.#offset = 0;
    this.bytes = 0;
  }

  #dropBefore(start: number): void {
    let dropped = 0;
    for (const piece of this.#pieces) {
      if (this.#offset + piece.length > start) break;
      this.#offset += piece.length;
      dropped++;
    }
    if (dropped > 0) this.#pieces.splice(0, dropped);
  }
}
