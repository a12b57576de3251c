/** Whether a UTF-16 unit, NaN outside of a text, is an ASCII digit. */
export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Whether it is an ASCII letter. */
function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** Whether it is an ASCII letter or digit. */
export function isAlphanumeric(code: number): boolean {
  return isLetter(code) || isDigit(code);
}

/** Whether it may stand in base64url text: letters, digits, `-` and `_`. */
export function isBase64Url(code: number): boolean {
  return isAlphanumeric(code) || code === 0x2d || code === 0x5f;
}

/** Where a sign begins from `from` on and before `to`, -1 where none does. Looks no further, whatever the text behind is. */
export function indexBefore(text: string, sign: string, from: number, to: number): number {
  const end = to + sign.length - 1;
  return end >= text.length ? text.indexOf(sign, from) : text.slice(0, end).indexOf(sign, from);
}

/** The place, or the one before it where it would part the two halves of a character; never beyond the text. */
export function outsidePair(text: string, at: number): number {
  const isLow = (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  return isLow && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 ? at - 1 : Math.min(at, text.length);
}

/** Whether it parts words: a blank, a control character, or the end of the text. */
export function isSpaceOrEnd(code: number): boolean {
  return Number.isNaN(code) || code <= 0x20 || code === 0xa0;
}
