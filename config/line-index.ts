/** One-based line and column, the column in UTF-16 code units. */
export interface LinePosition {
  line: number;
  column: number;
}

/** Finds line and column of an offset in a text, in time logarithmic in the number of lines. */
export function createLineIndex(text: string): (offset: number) => LinePosition {
  const starts = [0, ...Array.from(text.matchAll(/\n/g), (newline) => newline.index + 1)];
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}
