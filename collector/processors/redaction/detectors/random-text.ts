/** Share of neighbours of different classes in text that looks random: base64 of random bytes has 0.64, names in camel case have about 0.3. */
const MIN_CHANGES = 0.38;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 4;
const OTHER = 8;

/** Whether a text has small letters, capitals and digits in the disorder of base64 of random bytes; names, words and hashes in hexadecimal do not. */
export function looksRandom(text: string): boolean {
  let seen = 0;
  let changes = 0;
  let before = 0;
  for (let at = 0; at < text.length; at += 1) {
    const kind = classOf(text.charCodeAt(at));
    if (at > 0 && kind !== before) changes += 1;
    seen |= kind;
    before = kind;
  }
  const isMixed = (seen & LOWER) !== 0 && (seen & UPPER) !== 0 && (seen & DIGIT) !== 0;
  return isMixed && changes >= MIN_CHANGES * (text.length - 1);
}

function classOf(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return LOWER;
  if (code >= 0x41 && code <= 0x5a) return UPPER;
  return code >= 0x30 && code <= 0x39 ? DIGIT : OTHER;
}
