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

/**
 * Whether one of the texts that a separator parts holds all parts, one after the other. Without a copy of any text; time grows with the length of all
 * texts only, because after a part was found in a later text the search goes on in that one.
 */
export function holdsInOrder(parts: readonly string[], texts: string, separator: string): boolean {
  for (let from = 0; ; ) {
    const start = texts.indexOf(parts[0] ?? '', from);
    if (start < 0) return false;
    const border = texts.indexOf(separator, start);
    const end = border < 0 ? texts.length : border;
    const strayed = firstOutside(parts, texts, start, end);
    if (strayed === undefined) return true;
    if (strayed < 0 || border < 0) return false;
    from = Math.max(end + 1, texts.lastIndexOf(separator, strayed) + 1);
  }
}

/** Where the first part is found that does not end within the bounds; -1 when it is nowhere, undefined when all do. */
function firstOutside(parts: readonly string[], texts: string, start: number, end: number): number | undefined {
  let from = start;
  for (const part of parts) {
    const found = texts.indexOf(part, from);
    if (found < 0 || found + part.length > end) return found;
    from = found + part.length;
  }
  return undefined;
}

function lowerCased([first, ...rest]: TextPattern): TextPattern {
  return [first.toLowerCase(), ...rest.map((part) => part.toLowerCase())];
}
