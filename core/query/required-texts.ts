import type { FieldNode, QueryNode } from './query-ast.js';
import { EXTRA_PREFIX, TAG_PREFIX } from './query-fields.js';
import type { TextPattern } from './text-pattern.js';

/** A text that the raw line of a match contains, in any case, unless the title matches instead. */
export interface RequiredText {
  /** In lower case. Its characters appear in raw lines as they are, or as `\u` escapes. */
  readonly literal: string;
  /** What may match the title; undefined if the title does not matter. */
  readonly titlePattern: TextPattern | undefined;
}

/** With more alternatives, parsing all events takes about as long as looking for them. */
const MAX_TEXTS = 16;

/** Texts of which every matching event has at least one; undefined if none is certain. */
export function requiredTexts(query: QueryNode): readonly RequiredText[] | undefined {
  switch (query.kind) {
    case 'and':
      return rarestOf(query.nodes.map(requiredTexts));
    case 'or': {
      const alternatives = query.nodes.map(requiredTexts);
      const texts = alternatives.flatMap((alternative) => alternative ?? []);
      return alternatives.includes(undefined) || texts.length > MAX_TEXTS ? undefined : texts;
    }
    case 'not':
      return undefined;
    case 'text':
      return requiredText(query.pattern, query.pattern);
    case 'field':
      return requiredText(textsOfField(query));
  }
}

/** Longer texts are rarer. */
function rarestOf(choices: readonly (readonly RequiredText[] | undefined)[]): readonly RequiredText[] | undefined {
  const shortest = (texts: readonly RequiredText[]): number => Math.min(...texts.map(({ literal }) => literal.length));
  const certain = choices.filter((texts) => texts !== undefined);
  return certain.sort((left, right) => shortest(right) - shortest(left))[0];
}

function requiredText(texts: readonly string[], titlePattern?: TextPattern): readonly RequiredText[] | undefined {
  const literals = texts.flatMap(literalsIn);
  const [longest] = literals.sort((left, right) => right.length - left.length);
  return longest === undefined ? undefined : [{ literal: longest, titlePattern }];
}

/** Texts that the raw line of an event contains if the field matches. */
function textsOfField({ field: { name, kind, ofEvent, ofPayload }, test }: FieldNode): readonly string[] {
  const values = test.kind === 'pattern' ? test.pattern : [];
  if (name.startsWith(TAG_PREFIX)) return [name.slice(TAG_PREFIX.length), ...values];
  if (name.startsWith(EXTRA_PREFIX)) {
    // Dots may separate the keys of nested objects.
    return [...name.slice(EXTRA_PREFIX.length).split('.'), ...values.filter((value) => !mayBePlain(value))];
  }
  const isString = kind === 'text' || kind === 'version';
  return isString && ofPayload !== undefined && ofEvent === undefined ? values : [];
}

/** Parts of a number, which JSON can write in several ways. */
const PART_OF_NUMBER = /^[-+.0-9e]*$/;
const OTHER_PLAIN_VALUES = ['infinity', 'true', 'false'];

/** Whether a text may be part of a JSON value that is no string. */
function mayBePlain(text: string): boolean {
  return PART_OF_NUMBER.test(text) || OTHER_PLAIN_VALUES.some((value) => value.includes(text));
}

/** The longest runs of characters that are certain to appear in a raw line. */
function literalsIn(text: string): string[] {
  const runs = [''];
  for (const character of text.toLowerCase()) {
    if (isCertain(character)) runs[runs.length - 1] += character;
    else runs.push('');
  }
  return runs.filter((run) => run !== '');
}

/** Printable ASCII without what JSON escapes, or may escape. */
const PLAIN_ASCII = /^[ !#-.0-[\]-~]$/;
/** It ends the lower case of U+0130. */
const COMBINING_DOT = '\u0307';
/** What lone surrogates and damaged bytes become. */
const REPLACEMENT = '\ufffd';

/**
 * Whether a lower-case character that an event contains is in the raw line as itself, as its ASCII capital, as an escape, or as one of
 * `OTHER_CAPITALS`. Other letters with case are not, because several may have the same lower case.
 */
export function isCertain(character: string): boolean {
  if (character <= '\x7f') return PLAIN_ASCII.test(character);
  const isHalf = character >= '\ud800' && character <= '\udfff' && character.length === 1;
  if (isHalf || character === COMBINING_DOT || character === REPLACEMENT) return false;
  return character.toLowerCase() === character && character.toUpperCase() === character;
}

/** Characters beyond ASCII whose lower case begins with an ASCII letter. */
export const OTHER_CAPITALS: Readonly<Record<string, string>> = { k: '\u212a', i: '\u0130' };
