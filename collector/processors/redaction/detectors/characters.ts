/** Matches a sticky pattern at an offset. */
export function execAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Whether a sticky pattern matches at an offset. */
export function testAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** Whether a UTF-16 unit is an ASCII digit. Like the predicates below, returns false for NaN, the unit outside of a text. */
export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Whether a UTF-16 unit is an ASCII letter or digit. */
export function isAlphanumeric(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || isDigit(code);
}

/** Whether a UTF-16 unit is in the base64url alphabet: letters, digits, `-` and `_`. */
export function isBase64Url(code: number): boolean {
  return isAlphanumeric(code) || code === 0x2d || code === 0x5f;
}

/** Returns the first offset of `sign` in `[from, to)`, else -1; does not search beyond. */
export function indexBefore(text: string, sign: string, from: number, to: number): number {
  const end = to + sign.length - 1;
  return end >= text.length ? text.indexOf(sign, from) : text.slice(0, end).indexOf(sign, from);
}

/** Returns `at`, moved back by one if it splits a surrogate pair; at most the length of the text. */
export function outsidePair(text: string, at: number): number {
  const isLow = (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  return isLow && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 ? at - 1 : Math.min(at, text.length);
}

/** Whether a UTF-16 unit is a blank or a control character; true for NaN. */
export function isSpaceOrEnd(code: number): boolean {
  return !(code > 0x20) || code === 0xa0;
}
