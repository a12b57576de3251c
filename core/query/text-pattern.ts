/** A text split at its wildcards: the first part must begin the text, the last must end it, the others follow in order. A single part is the whole text. */
export type TextPattern = readonly [string, ...string[]];

/** Splits a text at each `*`. */
export function splitPattern(text: string): TextPattern {
  const [first = '', ...rest] = text.split('*');
  return [first, ...rest];
}

/** A pattern in lower case that the whole text must match. */
export function wholeText([first, ...rest]: TextPattern): TextPattern {
  return [first.toLowerCase(), ...rest.map((part) => part.toLowerCase())];
}

/** A pattern in lower case that may match anywhere in the text. */
export function anywhereInText(parts: TextPattern): TextPattern {
  return ['', ...wholeText(parts), ''];
}

/** Whether a text in lower case matches; linear in the text. */
export function matchesPattern(pattern: TextPattern, lowerText: string): boolean {
  const first = pattern[0];
  if (pattern.length === 1) return lowerText === first;
  const last = pattern[pattern.length - 1] ?? '';
  const end = lowerText.length - last.length;
  let from = first.length;
  if (end < from || !lowerText.startsWith(first) || !lowerText.endsWith(last)) return false;
  for (let index = 1; index < pattern.length - 1; index += 1) {
    const part = pattern[index] ?? '';
    const at = lowerText.indexOf(part, from);
    if (at < 0 || at + part.length > end) return false;
    from = at + part.length;
  }
  return true;
}

/** Whether one of the texts that `separator` joins contains all parts in order. Linear and without copies: if a part is found in a later text, the search continues there. */
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

/** Index of the first part that does not end within the bounds; -1 if it is not found, undefined if all parts do. */
function firstOutside(parts: readonly string[], texts: string, start: number, end: number): number | undefined {
  let from = start;
  for (const part of parts) {
    const at = texts.indexOf(part, from);
    if (at < 0 || at + part.length > end) return at;
    from = at + part.length;
  }
  return undefined;
}
