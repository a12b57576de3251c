/** CRC-32C (Castagnoli), reflected: RFC 3720, section B.4. */
const POLYNOMIAL = 0x82f63b78;

/** One bit of some bytes. */
export interface BitPlace {
  /** Offset of its byte. */
  readonly byte: number;
  /** 1, 2, 4, … 128: what the byte has to be combined with by exclusive or. */
  readonly mask: number;
}

/**
 * The one bit that must be turned so that bytes of this length match their checksum; undefined when no single one would do.
 * A CRC is linear: the difference of two checksums depends on where bits differ and not on the bytes, and no two places
 * within 2^31 bits give the same difference.
 */
export function locateFlippedBit(length: number, expected: number, found: number): BitPlace | undefined {
  const difference = (expected ^ found) | 0;
  let turned = POLYNOMIAL | 0;
  for (let byte = length - 1; byte >= 0; byte -= 1) {
    for (let mask = 128; mask >= 1; mask >>= 1) {
      if (turned === difference) return { byte, mask };
      turned = (turned >>> 1) ^ (-(turned & 1) & POLYNOMIAL);
    }
  }
  return undefined;
}
