/** A place as `path:line:column`, `path:line` or less; what is not told is null. */
export interface SplitPlace {
  readonly path: string;
  readonly line: number | null;
  readonly column: number | null;
}

const MAX_DIGITS = 9;
const COLON = 0x3a;

/** Takes line and column off the end of a place: numbers of one to nine digits, each behind a colon. */
export function splitPlace(place: string): SplitPlace {
  const last = numberAtEnd(place, place.length);
  if (last < 0) return { path: place, line: null, column: null };
  const first = numberAtEnd(place, last);
  if (first < 0) return { path: place.slice(0, last), line: Number(place.slice(last + 1)), column: null };
  return {
    path: place.slice(0, first),
    line: Number(place.slice(first + 1, last)),
    column: Number(place.slice(last + 1)),
  };
}

/** Whether a place ends with a line. */
export function hasPosition(place: string): boolean {
  return numberAtEnd(place, place.length) >= 0;
}

/** Where the colon of a number stands that ends before `end`; -1 without one. */
function numberAtEnd(text: string, end: number): number {
  let at = end - 1;
  while (at >= 0 && isDigit(text.charCodeAt(at))) at--;
  const digits = end - 1 - at;
  return at >= 0 && digits > 0 && digits <= MAX_DIGITS && text.charCodeAt(at) === COLON ? at : -1;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}
