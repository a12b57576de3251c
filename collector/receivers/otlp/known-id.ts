const ID = /^(?!0*$)[0-9a-f]*$/;

/** A trace id (32 characters) or span id (16) from hexadecimal text in any case; empty when it is all zeros, of another length, or no such text. */
export function knownId(text: string, length: number): string {
  if (text.length !== length) return '';
  const id = text.toLowerCase();
  return ID.test(id) ? id : '';
}

/** Characters of a trace id. */
export const TRACE_ID_LENGTH = 32;

/** Characters of a span id. */
export const SPAN_ID_LENGTH = 16;
