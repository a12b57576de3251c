const SHORT_ESCAPES: ReadonlySet<number> = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d, 0x22, 0x5c]);
const QUOTES_BYTES = 2;

/** A text as a JSON string of at most `maxBytes` UTF-8 bytes, cut at a code point where it is longer. */
export function escapedStart(text: string, maxBytes: number): { readonly json: string; readonly isCut: boolean } {
  const whole = JSON.stringify(text);
  if (Buffer.byteLength(whole) <= maxBytes) return { json: whole, isCut: false };
  let bytes = QUOTES_BYTES;
  let end = 0;
  while (end < text.length) {
    const codePoint = text.codePointAt(end) ?? 0;
    bytes += escapedBytes(codePoint);
    if (bytes > maxBytes) break;
    end += codePoint > 0xffff ? 2 : 1;
  }
  return { json: JSON.stringify(text.slice(0, end)), isCut: true };
}

/** What `JSON.stringify` makes of a code point, in bytes of UTF-8. */
function escapedBytes(codePoint: number): number {
  if (SHORT_ESCAPES.has(codePoint)) return 2;
  if (codePoint < 0x20 || (codePoint >= 0xd800 && codePoint <= 0xdfff)) return 6;
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint > 0xffff ? 4 : 3;
}
