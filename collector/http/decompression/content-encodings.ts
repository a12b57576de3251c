import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { Fault } from '../../../core/event/fault.js';
import type { Meters } from '../../telemetry/meters.js';
import { DecoderStream, type HeldBytes } from './chunk-decoder.js';
import { openSnappy } from './snappy-decoder.js';
import { openZstd, ZSTD_WINDOW_BYTES } from './zstd-decoder.js';

/** Creates the decoder for a body that starts with these bytes and is refused above `maxBytes`; `held` counts what the decoder collects. */
export type OpenDecoder = (firstBytes: Buffer, maxBytes: number, held: HeldBytes) => Transform;

/** How bodies of one encoding are decoded. */
export interface ContentEncoding {
  readonly open: OpenDecoder;
  /** Most decoded bytes that the decoder keeps until the body ends, which starts with these bytes; 0: at most 64 KiB. */
  readonly windowBytes: (firstBytes: Uint8Array) => number;
  /** Whether the decoder may fill its window before it gives any of it. */
  readonly isAhead?: true;
}

const CHUNK = { chunkSize: 64 * 1024 };
/** Opens a decoder of brotli, RFC 7932. */
export const openBrotli = (): Transform => zlib.createBrotliDecompress(CHUNK);

/** Returns the size of the window of a body in brotli, at most 16 MiB: RFC 7932, 9.1. */
export function brotliWindowBytes([first = 0]: Uint8Array): number {
  const [low, high] = [(first >> 1) & 0b111, (first >> 4) & 0b111];
  if ((first & 1) === 0) return 2 ** 16;
  if (low > 0) return 2 ** (17 + low);
  // Without the values 0 for 2^17 and 1, which is invalid.
  return high > 1 ? 2 ** (8 + high) : 2 ** 17;
}

const noWindow = (): number => 0;

const gzip: OpenDecoder = () => zlib.createGunzip(CHUNK);
// Clients send zlib and raw deflate data under both names.
const deflate: OpenDecoder = (first) => (isZlib(first) ? zlib.createInflate : zlib.createInflateRaw)(CHUNK);
const snappy: OpenDecoder = (_, maxBytes, held) => new DecoderStream(() => openSnappy(maxBytes, held));

const ENCODINGS: ReadonlyMap<string, ContentEncoding> = new Map<string, ContentEncoding>([
  ['gzip', { open: gzip, windowBytes: noWindow }],
  ['x-gzip', { open: gzip, windowBytes: noWindow }],
  ['deflate', { open: deflate, windowBytes: noWindow }],
  ['zlib', { open: deflate, windowBytes: noWindow }],
  ['br', { open: openBrotli, windowBytes: brotliWindowBytes, isAhead: true }],
  ['zstd', { open: () => new DecoderStream(openZstd), windowBytes: () => ZSTD_WINDOW_BYTES }],
  ['snappy', { open: snappy, windowBytes: noWindow }],
  ['x-snappy-framed', { open: snappy, windowBytes: noWindow }],
]);

/** The names of all encodings, for people and for `Accept-Encoding`. */
export const ACCEPTED_ENCODINGS = [...ENCODINGS.keys()].filter((name) => name !== 'x-gzip').join(', ');

/** Finds an encoding by its name in lower case; undefined if it is not supported. */
export function contentEncoding(name: string): ContentEncoding | undefined {
  return ENCODINGS.get(name);
}

/** First bytes of compressed data: RFC 1952, RFC 8878. Brotli and raw deflate data have none. */
const SIGNATURES: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['gzip', Buffer.of(0x1f, 0x8b, 8)],
  ['zstd', Buffer.of(0x28, 0xb5, 0x2f, 0xfd)],
];
/** The beginning of JSON; compressed data hardly begins with so many printable characters. */
const JSON_TEXT = /^(?:\xef\xbb\xbf)?\s*[{[][\x20-\x7e\s]{7}/;

/** Finds the encoding of a body by its first bytes, which a proxy or client may have labelled wrongly; `labelled` if they say nothing. */
export function sniffedEncoding(
  firstBytes: Buffer,
  labelled: ContentEncoding | undefined,
): ContentEncoding | undefined {
  const signature = SIGNATURES.find(([, bytes]) => firstBytes.subarray(0, bytes.length).equals(bytes));
  if (signature !== undefined) return ENCODINGS.get(signature[0]);
  if (labelled === undefined)
    return isZlib(firstBytes) && hasZlibChecksum(firstBytes) ? ENCODINGS.get('zlib') : undefined;
  return JSON_TEXT.test(firstBytes.toString('latin1', 0, 64)) ? undefined : labelled;
}

/** Whether an error comes from a decoder: node:zlib has the codes `Z_…`, brotli `ERR__…`. */
export function isDecoderError(error: unknown): boolean {
  // Not by class: the error may come from another realm.
  return typeof error === 'object' && error !== null && 'code' in error && /^(?:Z|ERR__)/.test(String(error.code));
}

/** RFC 1950: the low half of the first byte of zlib data is 8; raw deflate data (RFC 1951) never starts so. */
function isZlib(firstBytes: Buffer): boolean {
  return ((firstBytes[0] ?? 0) & 0x0f) === 8;
}

/** RFC 1950, 2.2: the first two bytes are a multiple of 31. */
function hasZlibChecksum(firstBytes: Buffer): boolean {
  return firstBytes.length > 1 && firstBytes.readUInt16BE() % 31 === 0;
}

const CODES = ['CONTENT_ENCODING_UNSUPPORTED', 'GRPC_ENCODING_UNSUPPORTED'];
/** Senders that are remembered; another one would be logged again. */
const MAX_SENDERS = 1_000;

/** Reports an error of a request from a sender with the address `peer`; does nothing for other errors. */
export type ReportEncoding = (receiver: string, peer: string | undefined, error: unknown) => void;

/** Counts requests with an unsupported compression, and logs one warning for each sender. */
export function createEncodingReport(meters: Meters, logger: Logger): ReportEncoding {
  const logged = new LRUCache<string, true>({ max: MAX_SENDERS });
  return (receiver, peer, error) => {
    if (!(error instanceof Fault && CODES.includes(error.code))) return;
    const { code, message } = error;
    meters.counter('faultline_receiver_unsupported_encodings', { receiver }).add();
    const sender = `${receiver} ${peer}`;
    if (logged.has(sender)) return;
    logged.set(sender, true);
    logger.warn({ component: receiver, peer, code }, `all data of a sender is refused: ${message}`);
  };
}
