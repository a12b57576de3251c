/** The first index from 0 on for which `isBefore` is false, `length` if none is; it must be true for all indexes before it. */
export function firstNotBefore(length: number, isBefore: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
