import type { RawPiece } from '../../query/raw-pieces.js';

/** Bytes with A to Z as a to z. */
const FOLDED = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte));

/** Looks for one piece of text in bytes. */
export interface RawNeedle {
  /** Its length in bytes. */
  readonly length: number;
  /** Where it stands first between two offsets, -1 where it does not. Bytes that are looked at grow with their distance only; the longer the piece, the fewer. */
  find(bytes: Uint8Array, start: number, end: number): number;
}

/** Horspool's way over folded bytes: native searches know no case, and a copy in lower case costs more than all the rest. */
export function createRawNeedle(piece: RawPiece): RawNeedle {
  const needle = Buffer.from(piece.text, 'utf8').map((byte) => FOLDED[byte] ?? byte);
  const last = needle.length - 1;
  // Zero for the byte that ends the needle: there the others are compared.
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
  return {
    length: needle.length,
    find(bytes, start, end) {
      for (let at = start + last; at < end; ) {
        const shift = shifts[bytes[at] ?? 0] ?? 1;
        if (shift === 0 && matchesAt(bytes, at - last)) return at - last;
        at += shift === 0 ? shiftOfLast : shift;
      }
      return -1;
    },
  };
}

/** Where a block of raw lines writes letters in a way in which no needle finds them, ascending offsets. */
export interface HiddenLetters {
  /** Of ASCII letters. */
  readonly ascii: readonly number[];
  /** Of all others. */
  readonly others: readonly number[];
}

const ESCAPE = Buffer.from('\\u');
/** Letters whose lower case is, or begins with, an ASCII letter. */
const DISGUISED = ['\u212a', '\u0130'].map((letter) => ({ code: letter.charCodeAt(0), bytes: Buffer.from(letter) }));

/** Finds escapes such as `\u0041`, which a sender may write for any letter, and the Kelvin sign and the dotted capital I, which become `k` and `i`. */
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
