import { mayHoldHalves, wellFormedJson } from '../../config/values/well-formed-json.js';
import { finishNow } from '../time-slice.js';
import { type JsonValue, replaceHalves } from './json.js';
import type { EventNote } from './note.js';
import type { LeftOut } from './validate/repairs.js';

/** The value of a JSON text from outside. */
export interface SentJson {
  readonly value: JsonValue;
  /** What of the text changed; empty: nothing. */
  readonly notes: readonly EventNote[];
  /** What was left out of the text before; default: nothing. */
  readonly leftOut?: readonly LeftOut[];
}

const NONE: readonly EventNote[] = [];
const INTEGERS: EventNote = {
  code: 'INTEGER_CONVERTED',
  field: '',
  reason: 'integers beyond 2^53 became text, because numbers would lose digits',
};
const HALVES: EventNote = {
  code: 'INVALID_UNICODE',
  field: '',
  reason: 'halves of surrogate pairs were replaced by U+FFFD',
};

/** May also match inside a string; 2^53 has 16 digits. Written out, because V8 searches six times slower for `\d{15}`. */
const LONG_INTEGER = /[:,[\s-](?:[1-9]\d|9)\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d/;

/**
 * Parses JSON from a sender: integers beyond 2^53 become text of their digits, halves of surrogate pairs U+FFFD.
 * `isLenient`: `NaN` and `Infinity`, which Python and old SDKs write, become null. Throws JSON.parse's SyntaxError.
 */
export function parseSentJson(text: string, isLenient = false): SentJson {
  return finishNow(sentJsonSteps(text, isLenient));
}

/** The JSON text whose value `parseSentJson` returns, else as sent. The text must be JSON. */
export function rewriteSentJson(text: string): string {
  return wellFormedJson(LONG_INTEGER.test(text) ? finishNow(plainNumbers(text)) : text);
}

/** The value of `parseSentJson`; undefined if the text is not JSON. */
export function readSentJson(text: string): JsonValue | undefined {
  try {
    return parseSentJson(text).value;
  } catch {
    return undefined;
  }
}

/** `parseSentJson` in steps, between which the event loop should turn if the text is large. */
export function* sentJsonSteps(text: string, isLenient: boolean): Generator<undefined, SentJson> {
  let value: JsonValue;
  let notes = NONE;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!isLenient) throw error;
    value = JSON.parse(yield* plainNumbers(text));
  }
  if (LONG_INTEGER.test(text)) {
    yield;
    const plain = yield* plainNumbers(text);
    yield;
    if (plain !== text) {
      value = JSON.parse(plain);
      notes = [INTEGERS];
    }
  }
  if (mayHoldHalves(text)) {
    yield;
    const holder = [value];
    if (replaceHalves(holder)) notes = [...notes, HALVES];
    value = holder[0] ?? null;
  }
  return { value, notes };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BARE_WORD = /^-?(?:NaN|Infinity)$/;
const FRACTION_OR_EXPONENT = /[.eE]/;
const MIN_LONG_DIGITS = 16;
/** 16 digits and a sign. */
const MAX_SAFE_UNITS = 17;
/** UTF-16 units that are read between two pauses. */
const PIECE_UNITS = 1024 * 1024;

/** The text with what JavaScript reads as no exact number outside of strings: bare words become null, integers beyond 2^53 text. */
function* plainNumbers(text: string): Generator<undefined, string> {
  const parts: string[] = [];
  let copied = 0;
  let isInString = false;
  let pauseAt = PIECE_UNITS;
  for (let at = 0; at < text.length; at++) {
    if (at >= pauseAt) {
      yield;
      pauseAt = at + PIECE_UNITS;
    }
    const unit = text.charCodeAt(at);
    if (isInString && unit === BACKSLASH) at++;
    else if (unit === QUOTE) isInString = !isInString;
    else if (!isInString && isOfWord(unit)) {
      const end = endOfWord(text, at);
      const plain = plainNumber(text, at, end);
      if (plain !== undefined) {
        parts.push(text.slice(copied, at), plain);
        copied = end;
      }
      at = end - 1;
    }
  }
  if (copied === 0) return text;
  parts.push(text.slice(copied));
  return parts.join('');
}

function plainNumber(text: string, start: number, end: number): string | undefined {
  const word = text.slice(start, end);
  if (word.length < MIN_LONG_DIGITS) return BARE_WORD.test(word) ? 'null' : undefined;
  const isExact = word.length <= MAX_SAFE_UNITS && Number.isSafeInteger(Number(word));
  return isExact || FRACTION_OR_EXPONENT.test(word) ? undefined : `"${word}"`;
}

function endOfWord(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && isOfWord(text.charCodeAt(end))) end++;
  return end;
}

/** Letters, digits, and the signs of numbers. */
function isOfWord(unit: number): boolean {
  const letter = unit | 0x20;
  return (
    (unit >= 0x30 && unit <= 0x39) ||
    (letter >= 0x61 && letter <= 0x7a) ||
    unit === 0x2b ||
    unit === 0x2d ||
    unit === 0x2e
  );
}
