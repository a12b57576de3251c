import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { Fault } from '../../../core/event/fault.js';
import type { Meters } from '../../telemetry/meters.js';
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
