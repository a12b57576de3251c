const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BARE_NUMBER = /-?(?:NaN|Infinity)/y;
/** First characters of a bare number. */
const BEGINNINGS: ReadonlySet<number> = new Set([0x2d, 0x49, 0x4e]);

/** Parses JSON in which old SDKs wrote `NaN`, `Infinity` or `-Infinity`, item 54, as null. Throws JSON.parse's SyntaxError. */
export function parseLenientJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const mended = withoutBareNumbers(text);
    if (mended === undefined) throw error;
    return JSON.parse(mended);
  }
}

/** Undefined if the text has none. */
function withoutBareNumbers(text: string): string | undefined {
  const parts: string[] = [];
  let copied = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (isInString && unit === BACKSLASH) at++;
    else if (unit === QUOTE) isInString = !isInString;
    else if (!isInString && BEGINNINGS.has(unit)) {
      BARE_NUMBER.lastIndex = at;
      if (!BARE_NUMBER.test(text)) continue;
      parts.push(text.slice(copied, at), 'null');
      copied = BARE_NUMBER.lastIndex;
      at = copied - 1;
    }
  }
  return copied === 0 ? undefined : parts.join('') + text.slice(copied);
}
