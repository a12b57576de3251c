const NEWLINE = 0x0a;

/**
 * Where each line of a commit begins, and last where a further one would: `lines` + 1 places from the beginning of its bytes.
 * Undefined when the bytes are not exactly so many whole lines.
 */
export function lineStarts(bytes: Buffer, lines: number): Uint32Array | undefined {
  // A damaged record may say any number: it must not become memory.
  if (lines > bytes.length) return undefined;
  const starts = new Uint32Array(lines + 1);
  let at = 0;
  for (let index = 1; index <= lines; index += 1) {
    const end = bytes.indexOf(NEWLINE, at);
    if (end < 0) return undefined;
    at = end + 1;
    starts[index] = at;
  }
  return at === bytes.length ? starts : undefined;
}
