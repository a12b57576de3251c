import type { FieldNode } from './query-ast.js';
import { EXTRA_PREFIX, TAG_PREFIX } from './query-fields.js';
import { matchesPattern, type TextPattern } from './text-pattern.js';

/** A part of a text that stands as it is, upper or lower case, in every raw line whose event holds that text, unless the line writes letters in another way. */
export interface RawPiece {
  /** In lower case; all of it ASCII, or none. */
  readonly text: string;
  readonly isAscii: boolean;
}

/** Written by an escape, by one that a sender may choose, or as a letter that becomes two. */
const SPLITS_ASCII = /["\\/]/;
const FIRST_PRINTABLE = 0x20;
const DELETE = 0x7f;
/** U+0307: the lower case of U+0130 ends in it. */
const COMBINING_DOT = '\u0307';
/** What a number may look like once it is text: senders have several ways to write it. */
const NUMBER_LIKE = /^[-+.0-9e]*$/;
const OTHER_PLAIN_VALUES = ['infinity', 'true', 'false'];

/** Values that stand in a raw line as strings and nothing else, in the field of that name. */
const STRING_FIELDS: ReadonlySet<string> = new Set([
  'error_name',
  'message',
  'method',
  'release',
  'releases',
  'request_id',
  'route',
  'session_id',
  'stack',
  'user_id',
]);

/** What the level of an event is whose sender named none. */
const DEFAULT_LEVEL = 'error';

/** The piece that a raw line must hold for any of an event's texts to match; undefined when there is none. */
export function pieceOfText(pattern: TextPattern): RawPiece | undefined {
  return longest(pattern.flatMap(piecesOf));
}

/** The piece that a raw line must hold for its event to match a term; undefined when there is none. */
export function pieceOfField({ field, test }: FieldNode): RawPiece | undefined {
  const values = test.kind === 'pattern' ? test.pattern.flatMap(piecesOf) : [];
  if (field.name.startsWith(TAG_PREFIX)) return longest([...piecesOf(field.name.slice(TAG_PREFIX.length)), ...values]);
  if (field.name.startsWith(EXTRA_PREFIX)) {
    const keys = field.name.slice(EXTRA_PREFIX.length).split('.');
    return longest([...keys.flatMap(piecesOf), ...values.filter(({ text }) => !mayBePlain(text))]);
  }
  if (STRING_FIELDS.has(field.name)) return longest(values);
  const isLevel = field.name === 'level' && test.kind === 'pattern' && !matchesPattern(test.pattern, DEFAULT_LEVEL);
  return isLevel ? longest(values) : undefined;
}

/** Cut where something stands that raw lines write in more than one way. */
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

/** Whether no other character becomes this one in lower case. Half a surrogate pair is no character. */
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
  for (const piece of pieces) if (best === undefined || weight(piece) > weight(best)) best = piece;
  return best;
}

function weight({ text }: RawPiece): number {
  return Buffer.byteLength(text);
}
