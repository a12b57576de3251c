const REPLACEMENT = '\ufffd';
/** `JSON.stringify` escapes halves of surrogate pairs, and writes pairs as they are. */
const ESCAPED_HALF = /\\\\|\\ud[89a-f][0-9a-f]{2}/g;

/** JSON as `JSON.stringify` writes it, with U+FFFD for each half of a surrogate pair, which strict readers refuse. */
export function wellFormedJson(json: string): string {
  if (!json.includes('\\ud')) return json;
  return json.replace(ESCAPED_HALF, (found) => (found === '\\\\' ? found : REPLACEMENT));
}
