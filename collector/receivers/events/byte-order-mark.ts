const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The first bytes of a body without UTF-8's byte order mark, which some editors and shells write and JSON.parse refuses. */
export function withoutByteOrderMark(firstBytes: Buffer): Buffer {
  return firstBytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? firstBytes.subarray(BYTE_ORDER_MARK.length)
    : firstBytes;
}
