/**
 * Text to compare with, in lower case, cut at its wildcards: the first part must begin the text, the last must end it,
 * those between must follow in order. One part alone must be the whole text.
 */
export type TextPattern = readonly [string, ...string[]];

/** A pattern that the whole text must match. */
export function wholeText(parts: TextPattern): TextPattern {
  return lowerCased(parts);
}

/** A pattern that may match anywhere in the text. */
export function anywhereInText(parts: TextPattern): TextPattern {
  return ['', ...lowerCased(parts), ''];
}

/** Whether a text that is already in lower case matches; time grows with the length of the text only. */
export function matchesPattern(pattern: TextPattern, lowerText: string): boolean {
  const first = pattern[0];
  if (pattern.length === 1) return lowerText === first;
  const last = pattern[pattern.length - 1] ?? '';
  const end = lowerText.length - last.length;
  let from = first.length;
  if (end < from || !lowerText.startsWith(first) || !lowerText.endsWith(last)) return false;
  for (let index = 1; index < pattern.length - 1; index += 1) {
    const part = pattern[index] ?? '';
    const found = lowerText.indexOf(part, from);
    if (found < 0 || found + part.length > end) return false;
    from = found + part.length;
  }
  return true;
}

function lowerCased([first, ...rest]: TextPattern): TextPattern {
  return [first.toLowerCase(), ...rest.map((part) => part.toLowerCase())];
}
