const NANO_DIGITS = 9;

/** The number that the decimal digits of `text` from `start` up to `end` say, at most 15 of them; NaN when one is no digit. */
export function readDigits(text: string, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/** The position after the run of decimal digits that begins at `start`. */
export function endOfDigits(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9)) break;
  }
  return at;
}

/** Nanoseconds that the fraction digits of a second from `start` up to `end` say; digits after the ninth are left out. */
export function readNanos(text: string, start: number, end: number): number {
  const kept = Math.min(end, start + NANO_DIGITS);
  return readDigits(text, start, kept) * 10 ** (NANO_DIGITS - (kept - start));
}

/** True when the fraction digits from `start` up to `end` say more than nanoseconds. */
export function exceedsNanos(text: string, start: number, end: number): boolean {
  for (let at = start + NANO_DIGITS; at < end; at++) {
    if (text.charCodeAt(at) !== 48) return true;
  }
  return false;
}
