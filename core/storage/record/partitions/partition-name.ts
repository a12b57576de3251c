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

function encodeWhole(name: string): string {
  if (name === '') return '%';
  if (name === '.' || name === '..') return percentEncode(Buffer.from(name, 'utf8'));
  if (PLAIN.test(name)) return name;
  return name.replace(NOT_PLAIN, (character) => percentEncode(Buffer.from(character, 'utf8')));
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
