import { parseSize } from '../../config/values/size.js';
import { Fault } from '../../core/event/fault.js';
import type { IngestSettings } from '../../generated/settings.js';
import { availableBytes } from '../telemetry/available-memory.js';
import { createMeters, type Meters } from '../telemetry/meters.js';

/** Decoding one request takes up to six times its bytes, and joining its pieces once more: docs/decisions/0003. */
const DEFAULT_SHARE = 12;
const MOST_BY_DEFAULT = 256 * 1024 * 1024;

/** The bytes that `service.ingest.max_memory` means in this process. */
export function ingestBytesOf({ max_memory: maxMemory }: IngestSettings): number {
  const bytes = parseSize(maxMemory);
  return bytes > 0 ? bytes : Math.min(MOST_BY_DEFAULT, Math.floor(availableBytes() / DEFAULT_SHARE));
}

/** Counts bytes that are held until they are given back. */
export type HeldBytes = Pick<RequestMemory, 'take' | 'give'>;

/** The decompressed bytes that all receivers of a process hold: one budget. */
export class IngestMemory {
  /** Bytes; a lower value refuses what comes from now on. */
  maxBytes: number;
  #heldBytes = 0;
  readonly #refused;

  /** Without a bound unless told. */
  constructor(maxBytes = Number.POSITIVE_INFINITY, meters: Meters = createMeters()) {
    this.maxBytes = maxBytes;
    this.#refused = meters.counter('faultline_ingest_refused_requests');
    meters.gauge('faultline_ingest_held_bytes', {}, () => this.#heldBytes);
    meters.gauge('faultline_ingest_limit_bytes', {}, () => this.maxBytes);
  }

  /** What one request holds; ends with `release`. */
  begin(): RequestMemory {
    return new RequestMemory(this);
  }

  /** Throws as `take` where there is no room for `bytes` more of a request that holds `ofRequest`. */
  check(bytes: number, ofRequest: number): void {
    if (this.#heldBytes + bytes <= this.maxBytes) return;
    this.#refused.add();
    if (ofRequest + bytes > this.maxBytes) {
      const sentence = `the request is larger than the ${this.maxBytes} bytes that all requests together may hold: send it in parts`;
      throw new Fault('BODY_TOO_LARGE', sentence);
    }
    throw new Fault('RECEIVER_BUSY', 'too many bytes of requests are held at once; send the request again', {
      retryable: true,
    });
  }

  /** Adds to what is held, or takes from it. */
  add(bytes: number): void {
    this.#heldBytes += bytes;
  }
}

/** What one request holds of the memory that all receivers share. */
export class RequestMemory {
  readonly #memory: IngestMemory;
  #bytes = 0;

  constructor(memory: IngestMemory) {
    this.#memory = memory;
  }

  /** Throws as `take` where so many bytes cannot be taken now, and takes none: for a length that its sender announced. */
  expect(bytes: number): void {
    this.#memory.check(bytes, this.#bytes);
  }

  /** Throws `RECEIVER_BUSY` (retryable) or `BODY_TOO_LARGE`, counting nothing, when that would be too many. */
  take(bytes: number): void {
    this.#memory.check(bytes, this.#bytes);
    this.#add(bytes);
  }

  give(bytes: number): void {
    this.#add(-bytes);
  }

  /** Gives back all that is held; safe to call twice. */
  release(): void {
    this.#add(-this.#bytes);
  }

  #add(bytes: number): void {
    this.#bytes += bytes;
    this.#memory.add(bytes);
  }
}

/** A body, or a part of one, that arrives in pieces, which count as held by their request. */
export class HeldBody {
  readonly #held: HeldBytes;
  #pieces: Buffer[] = [];
  /** Offset of the first piece that is still here. */
  #offset = 0;
  #bytes = 0;

  constructor(held: HeldBytes) {
    this.#held = held;
  }

  /** Bytes that were added so far, also of pieces that were let go. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Throws `RECEIVER_BUSY` or `BODY_TOO_LARGE`, and then has not added it. */
  add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#held.take(piece.length);
    this.#pieces.push(piece);
    this.#bytes += piece.length;
  }

  /**
   * The bytes from `start` up to `end`, without a copy where one piece has them, and lets go of the pieces before those; a later call may not go back. All
   * stay counted: the events in them wait for the disk.
   */
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

  /** A copy of the pieces as one, with what follows them; they stay. */
  copy(...following: readonly Buffer[]): Buffer {
    return Buffer.concat([...this.#pieces, ...following]);
  }

  /** A copy of the pieces as one, still counted; the next piece begins another thing. A copy, because a piece keeps the whole chunk that it came with. */
  take(): Buffer {
    const joined = this.copy();
    this.#begin();
    return joined;
  }

  /** Lets go of the pieces, not of what was taken; the next piece begins another thing. Safe to call twice. */
  drop(): void {
    this.#held.give(this.#bytes);
    this.#begin();
  }

  #begin(): void {
    this.#pieces = [];
    this.#offset = 0;
    this.#bytes = 0;
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
