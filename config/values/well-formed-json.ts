/** Escapes of surrogates in a row; an escaped backslash is passed over. */
const SURROGATES = /\\\\|(?:\\u[dD][89a-fA-F][0-9a-fA-F]{2})+/g;

/** JSON text with U+FFFD for each half of a surrogate pair, which strict readers refuse; else the same text. */
export function wellFormedJson(json: string): string {
  return mayHoldHalves(json) ? json.replace(SURROGATES, wellFormedEscapes) : json;
}

/** Whether JSON text has escapes of surrogates; in UTF-8, halves cannot be written otherwise. */
export function mayHoldHalves(json: string): boolean {
  return json.includes('\\u') && (json.includes('\\ud') || json.includes('\\uD'));
}

function wellFormedEscapes(escapes: string): string {
  if (escapes === '\\\\') return escapes;
  const text: string = JSON.parse(`"${escapes}"`);
  return text.isWellFormed() ? escapes : text.toWellFormed();
}
