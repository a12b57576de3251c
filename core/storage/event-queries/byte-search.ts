import type { RawPiece } from '../../query/raw-pieces.js';

/** Lower case of each byte, ASCII only. */
const FOLDED = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte));

/** Returns the first offset of a text between `start` and `end`, ignoring ASCII case, or -1. */
type FindBytes = (bytes: Uint8Array, start: number, end: number) => number;

/** Horspool's algorithm: native searches are case-sensitive, and a lower-case copy costs more. */
export function createRawNeedle(piece: RawPiece): FindBytes {
  const needle = Buffer.from(piece.text, 'utf8').map((byte) => FOLDED[byte] ?? byte);
  const last = needle.length - 1;
  // Zero for the needle's last byte: the others are compared there.
  const shifts = new Int32Array(256).fill(needle.length);
  let shiftOfLast = needle.length;
  for (let index = 0; index <= last; index += 1) {
    const byte = needle[index] ?? 0;
    if (index < last && byte === needle[last]) shiftOfLast = last - index;
    shifts[byte] = last - index;
    if (byte >= 0x61 && byte <= 0x7a) shifts[byte - 0x20] = last - index;
  }
  const matchesAt = (bytes: Uint8Array, from: number): boolean => {
    for (let index = last - 1; index >= 0; index -= 1) {
      if (FOLDED[bytes[from + index] ?? 0] !== needle[index]) return false;
    }
    return true;
  };
  return (bytes, start, end) => {
    for (let at = start + last; at < end; ) {
      const shift = shifts[bytes[at] ?? 0] ?? 1;
      if (shift === 0 && matchesAt(bytes, at - last)) return at - last;
      at += shift === 0 ? shiftOfLast : shift;
    }
    return -1;
  };
}

/** Offsets, ascending, of letters in a form that needles do not find. */
export interface HiddenLetters {
  readonly ascii: readonly number[];
  readonly others: readonly number[];
}

const ESCAPE = Buffer.from('\\u');
/** Letters whose lower case is or begins with an ASCII letter. */
const DISGUISED = ['\u212a', '\u0130'].map((letter) => ({ code: letter.charCodeAt(0), bytes: Buffer.from(letter) }));

/** Finds escapes such as `\u0041`, and the Kelvin sign and dotted capital I, which become `k` and `i`. */
export function findHiddenLetters(block: Buffer): HiddenLetters {
  const ascii: number[] = [];
  const others: number[] = [];
  for (let at = block.indexOf(ESCAPE); at >= 0; at = block.indexOf(ESCAPE, at + 2)) {
    const code = Number.parseInt(block.toString('latin1', at + 2, at + 6), 16);
    if (code >= 0x80) others.push(at);
    if ((code >= 0x20 && code < 0x80) || DISGUISED.some((letter) => letter.code === code)) ascii.push(at);
  }
  const escaped = ascii.length;
  for (const { bytes } of DISGUISED) {
    for (let at = block.indexOf(bytes); at >= 0; at = block.indexOf(bytes, at + bytes.length)) ascii.push(at);
  }
  if (ascii.length > escaped) ascii.sort((left, right) => left - right);
  return { ascii, others };
}
