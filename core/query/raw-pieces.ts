import { PAYLOAD_FIELDS } from '../../generated/event-fields.js';
import type { FieldNode } from './query-ast.js';
import { EXTRA_PREFIX, TAG_PREFIX } from './query-fields.js';
import type { TextPattern } from './text-pattern.js';

/** A piece of text that every raw line with that text contains in some case, unless the line escapes letters. */
export interface RawPiece {
  /** Lower case; either all ASCII or without ASCII. */
  readonly text: string;
  readonly isAscii: boolean;
}

/** Characters that JSON escapes, or may escape. */
const SPLITS_ASCII = /["\\/]/;
const FIRST_PRINTABLE = 0x20;
const DELETE = 0x7f;
/** U+0307 ends the lower case of U+0130. */
const COMBINING_DOT = '\u0307';
/** Parts of a number: JSON can write a number in several ways. */
const NUMBER_LIKE = /^[-+.0-9e]*$/;
const OTHER_PLAIN_VALUES = ['infinity', 'true', 'false'];

/** Fields whose values are always strings of the same name in the raw line. */
const STRING_FIELDS: ReadonlySet<string> = new Set([
  'releases',
  ...PAYLOAD_FIELDS.filter((field) => 'query' in field && ['text', 'version'].includes(field.query.kind)).map(
    ({ name }) => name,
  ),
]);

/** A piece that a raw line must contain for any text of its event to match; undefined if nothing is certain. */
export function pieceOfText(pattern: TextPattern): RawPiece | undefined {
  return longest(pattern.flatMap(piecesOf));
}

/** A piece that a raw line must contain for its event to match a field; undefined if nothing is certain. */
export function pieceOfField({ field, test }: FieldNode): RawPiece | undefined {
  const values = test.kind === 'pattern' ? test.pattern.flatMap(piecesOf) : [];
  if (field.name.startsWith(TAG_PREFIX)) return longest([...piecesOf(field.name.slice(TAG_PREFIX.length)), ...values]);
  if (field.name.startsWith(EXTRA_PREFIX)) {
    const keys = field.name.slice(EXTRA_PREFIX.length).split('.');
    return longest([...keys.flatMap(piecesOf), ...values.filter(({ text }) => !mayBePlain(text))]);
  }
  if (STRING_FIELDS.has(field.name)) return longest(values);
  return undefined;
}

function piecesOf(text: string): RawPiece[] {
  const pieces: { text: string; isAscii: boolean }[] = [];
  let isContinued = false;
  for (const character of text.toLowerCase()) {
    const kind = kindOf(character);
    const piece = pieces.at(-1);
    if (kind === 'unsafe') {
      isContinued = false;
      continue;
    }
    const isAscii = kind === 'ascii';
    if (isContinued && piece?.isAscii === isAscii) piece.text += character;
    else pieces.push({ text: character, isAscii });
    isContinued = true;
  }
  return pieces;
}

function kindOf(character: string): 'ascii' | 'caseless' | 'unsafe' {
  const code = character.codePointAt(0) ?? 0;
  if (code < DELETE) return code < FIRST_PRINTABLE || SPLITS_ASCII.test(character) ? 'unsafe' : 'ascii';
  return isCaseless(character) ? 'caseless' : 'unsafe';
}

/** Whether no other character has this one as its lower case; false for half a surrogate pair. */
export function isCaseless(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  if (code <= DELETE || (code >= 0xd800 && code <= 0xdfff) || character === COMBINING_DOT) return false;
  return character.toLowerCase() === character && character.toUpperCase() === character;
}

function mayBePlain(text: string): boolean {
  return NUMBER_LIKE.test(text) || OTHER_PLAIN_VALUES.some((value) => value.includes(text));
}

function longest(pieces: readonly RawPiece[]): RawPiece | undefined {
  let best: RawPiece | undefined;
  for (const piece of pieces)
    if (best === undefined || Buffer.byteLength(piece.text) > Buffer.byteLength(best.text)) best = piece;
  return best;
}
