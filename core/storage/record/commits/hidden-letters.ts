/** Offsets, ascending, of letters in a form that a search of bytes does not find. */
export interface HiddenLetters {
  readonly ascii: readonly number[];
  readonly others: readonly number[];
}

const ESCAPE = Buffer.from('\\u');
/** Letters whose lower case is or begins with an ASCII letter. */
const DISGUISED = ['\u212a', '\u0130'].map((letter) => ({ code: letter.charCodeAt(0), bytes: Buffer.from(letter) }));

/** Finds escapes such as `\u0041`, and the Kelvin sign and dotted capital I, which become `k` and `i`. */
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
