/** The bytes without an unfinished UTF-8 sequence at their end. */
export function wholeCodePoints(bytes: Buffer): Buffer {
  const longest = Math.min(4, bytes.length);
  for (let length = 1; length <= longest; length += 1) {
    const byte = bytes[bytes.length - length] ?? 0;
    const isContinuation = (byte & 0xc0) === 0x80;
    if (isContinuation) continue;
    return sequenceLength(byte) > length ? bytes.subarray(0, bytes.length - length) : bytes;
  }
  return bytes;
}

function sequenceLength(first: number): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}
