/** The structural bytes of JSON. */
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const BACKSLASH = 0x5c;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

/** Whether the byte is JSON's white space: space, tab, newline or carriage return. */
export function isJsonSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Removes leading and trailing white space. */
export function trimJsonSpace(bytes: Buffer): Buffer {
  let start = 0;
  let end = bytes.length;
  while (start < end && isJsonSpace(bytes[start])) start++;
  while (end > start && isJsonSpace(bytes[end - 1])) end--;
  return bytes.subarray(start, end);
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Removes a leading UTF-8 byte order mark, which some editors and shells write and JSON.parse rejects. */
export function withoutByteOrderMark(firstBytes: Buffer): Buffer {
  return firstBytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? firstBytes.subarray(BYTE_ORDER_MARK.length)
    : firstBytes;
}
