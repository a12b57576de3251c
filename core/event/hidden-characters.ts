/**
 * Characters that a terminal interprets or a reader cannot see: C0, DEL, C1, bidirectional and other format controls, zero-width characters,
 * line and paragraph separators, tag characters, fillers, lone surrogates.
 */
export const HIDDEN_CODE_POINT = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

const DELETE = 0x7f;
const FIRST_CONTROL_PICTURE = 0x2400;
const PICTURE_OF_DELETE = '\u2421';

/** The visible form of a hidden character: a control picture (`␛`), or its code (`‹U+202E›`). */
export function shownForm(codePoint: number): string {
  if (codePoint < 0x20) return String.fromCharCode(FIRST_CONTROL_PICTURE + codePoint);
  if (codePoint === DELETE) return PICTURE_OF_DELETE;
  return `‹U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}›`;
}
