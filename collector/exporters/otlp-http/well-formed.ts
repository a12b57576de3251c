const HALF_OF_PAIR = /\p{Cs}/gu;

/** The text with halves of surrogate pairs replaced: they cannot be written as UTF-8, and readers refuse the whole request for one. */
export function wellFormed(text: string): string {
  return text.replace(HALF_OF_PAIR, '\ufffd');
}
