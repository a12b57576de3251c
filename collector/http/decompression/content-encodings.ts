import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { DecoderStream, type HeldBytes } from './chunk-decoder.js';
import { openSnappy } from './snappy-decoder.js';
import { openZstd } from './zstd-decoder.js';

/** Creates the decoder for a body that starts with these bytes and is refused above `maxBytes`; `held` counts what the decoder collects. */
export type OpenDecoder = (firstBytes: Buffer, maxBytes: number, held: HeldBytes) => Transform;

const CHUNK = { chunkSize: 64 * 1024 };

const gzip: OpenDecoder = () => zlib.createGunzip(CHUNK);
// Clients send zlib and raw deflate data under both names.
const deflate: OpenDecoder = (first) => (isZlib(first) ? zlib.createInflate : zlib.createInflateRaw)(CHUNK);
const snappy: OpenDecoder = (_, maxBytes, held) => new DecoderStream(() => openSnappy(maxBytes, held));

const DECODERS: ReadonlyMap<string, OpenDecoder> = new Map<string, OpenDecoder>([
  ['gzip', gzip],
  ['x-gzip', gzip],
  ['deflate', deflate],
  ['zlib', deflate],
  ['br', () => zlib.createBrotliDecompress(CHUNK)],
  ['zstd', () => new DecoderStream(openZstd)],
  ['snappy', snappy],
  ['x-snappy-framed', snappy],
]);

/** The names of all encodings, for people and for `Accept-Encoding`. */
export const ACCEPTED_ENCODINGS = [...DECODERS.keys()].filter((name) => name !== 'x-gzip').join(', ');

/** Returns the decoder of an encoding by its name in lower case; undefined if it is not supported. */
export function decoderOf(encoding: string): OpenDecoder | undefined {
  return DECODERS.get(encoding);
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
