import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { quoted } from '../../config/printable.js';
import { RequestFault } from './request-fault.js';

/** Builds the decoder for a body whose first bytes are these. */
export type OpenDecoder = (firstBytes: Buffer) => Transform;

const CHUNK_BYTES = 64 * 1024;
/** RFC 1950: the low half of the first byte of zlib data is 8; no encoder begins raw deflate data (RFC 1951) so. */
const isZlib = (firstBytes: Buffer) => ((firstBytes[0] ?? 0) & 0x0f) === 8;

const DECODERS: Readonly<Record<string, OpenDecoder>> = {
  gzip: () => createGunzip({ chunkSize: CHUNK_BYTES }),
  'x-gzip': () => createGunzip({ chunkSize: CHUNK_BYTES }),
  // Both kinds are sent under this name.
  deflate: (first) => (isZlib(first) ? createInflate : createInflateRaw)({ chunkSize: CHUNK_BYTES }),
  br: () => createBrotliDecompress({ chunkSize: CHUNK_BYTES }),
};

/** The decoder of a `Content-Encoding`; undefined when the body is sent as it is. Throws `CONTENT_ENCODING_UNSUPPORTED`. */
export function decoderOf(contentEncoding: string | undefined): OpenDecoder | undefined {
  const encoding = contentEncoding?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return undefined;
  if (Object.hasOwn(DECODERS, encoding)) return DECODERS[encoding];
  throw new RequestFault(
    'CONTENT_ENCODING_UNSUPPORTED',
    `content encoding ${quoted(encoding)} is not supported: use gzip, deflate, br or none`,
    { headers: { 'accept-encoding': 'gzip, deflate, br' } },
  );
}
