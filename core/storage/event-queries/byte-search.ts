import type { RawPiece } from '../../query/raw-pieces.js';
import { type PairKey, pairFinder } from '../record/io/pair-finder.js';

/** Lower case of each byte, ASCII only. */
const FOLDED = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte));

/** Finds a text in bytes, ignoring ASCII case. */
interface RawNeedle {
  /** In bytes. */
  readonly length: number;
  /** Calls `visit` with each offset between `start` and `end`, ascending; it returns from where on further ones matter. */
  search(bytes: Uint8Array, start: number, end: number, visit: (at: number) => number): void;
}

/** Finds a text by its two rarest bytes at their distance; fast in buffers of `allocateSearchable`. */
export function createRawNeedle(piece: RawPiece): RawNeedle {
  const needle = Uint8Array.from(Buffer.from(piece.text, 'utf8'), (byte) => FOLDED[byte] ?? byte);
  const { length } = needle;
  let key: PairKey | undefined;
  const matchesAt = (bytes: Uint8Array, from: number): boolean => {
    for (let index = 0; index < length; index += 1) {
      if (FOLDED[bytes[from + index] ?? 0] !== needle[index]) return false;
    }
    return true;
  };
  return {
    length,
    search(bytes, start, end, visit) {
      key ??= rarestPair(needle, bytes);
      const find = pairFinder(bytes.buffer);
      const base = bytes.byteOffset;
      const last = base + end - length + 1;
      for (let next = base + start; next < last; ) {
        const at = find(next, last, ...key);
        if (at < 0 || at >= last) return;
        next = at + 1;
        if (matchesAt(bytes, at - base)) next = Math.max(next, base + visit(at - base));
      }
    },
  };
}

const SAMPLES = 4096;
const CASE_BIT = 0x20;

/** Chooses by the frequencies in bytes such as the first ones searched. */
function rarestPair(needle: Uint8Array, bytes: Uint8Array): PairKey {
  const counts = new Uint32Array(256);
  // An odd distance, so that lines of equal length are sampled everywhere.
  const step = Math.floor(bytes.length / SAMPLES) | 1;
  for (let at = 0; at < bytes.length; at += step) {
    const byte = FOLDED[bytes[at] ?? 0] ?? 0;
    counts[byte] = (counts[byte] ?? 0) + 1;
  }
  const countAt = (index: number): number => counts[needle[index] ?? 0] ?? 0;
  const [at = 0, otherAt = at] = [...needle.keys()].sort((one, other) => countAt(one) - countAt(other));
  const [byte = 0, otherByte = byte] = [needle[at], needle[otherAt]];
  const maskOf = (letter: number): number => (letter >= 0x61 && letter <= 0x7a ? CASE_BIT : 0);
  return [at, otherAt, byte, otherByte, maskOf(byte), maskOf(otherByte)];
}
