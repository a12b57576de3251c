import { hash } from 'node:crypto';

const MAX_NAME_BYTES = 200;
const HASH_CHARACTERS = 64;
const PLAIN = /^[A-Za-z0-9._-]+$/;
const NOT_PLAIN = /[^A-Za-z0-9._-]/gu;

function percentEncode(bytes: Iterable<number>): string {
  let text = '';
  for (const byte of bytes) text += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return text;
}

/** The UTF-8 bytes of one code point. A lone surrogate is encoded by the same scheme, because Buffer would map all of them to U+FFFD. */
function bytesOf(character: string): Iterable<number> {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0xd800 || code > 0xdfff) return Buffer.from(character, 'utf8');
  return [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
}

function encodeWhole(name: string): string {
  if (name === '') return '%';
  if (name === '.' || name === '..') return percentEncode(Buffer.from(name, 'utf8'));
  if (PLAIN.test(name)) return name;
  return name.replace(NOT_PLAIN, (character) => percentEncode(bytesOf(character)));
}

/**
 * Encodes a name from outside as a folder name: every UTF-8 byte outside `A-Z a-z 0-9 . _ -` percent-encoded, the empty name as `%`.
 * A result over 200 bytes is cut and ends in `~` and its SHA-256. Different names give different folders on a case-sensitive file system.
 */
export function encodePartitionName(name: string): string {
  const encoded = encodeWhole(name);
  if (encoded.length <= MAX_NAME_BYTES) return encoded;
  return `${encoded.slice(0, MAX_NAME_BYTES - HASH_CHARACTERS - 1)}~${hash('sha256', encoded, 'hex')}`;
}
