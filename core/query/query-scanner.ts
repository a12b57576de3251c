import { QueryFault } from './query-fault.js';
import { KEY_PREFIXES } from './query-fields.js';
import { splitPattern, type TextPattern } from './text-pattern.js';

const SPACE = /\s/;
/** Values of one query, including list members: each costs time for every scanned issue. */
const MAX_VALUES = 256;

/** Scans query text from left to right in linear time. */
export class QueryScanner {
  /** Zero-based index of the next character. */
  index = 0;
  readonly #text: string;
  #values = 0;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    return this.index >= this.#text.length;
  }

  /** The next character, empty at the end. */
  peek(): string {
    return this.#text.charAt(this.index);
  }

  skipSpace(): void {
    while (isSpace(this.peek())) this.index += 1;
  }

  /** Skips the character and returns true if it is next. */
  accept(character: string): boolean {
    if (this.peek() !== character) return false;
    this.index += 1;
    return true;
  }

  isAt(text: string): boolean {
    return this.#text.startsWith(text, this.index);
  }

  skip(characters: number): void {
    this.index += characters;
  }

  /** Accepts a minus sign directly before a term; a single minus is text. */
  acceptMinus(): boolean {
    const next = this.#text.charAt(this.index + 1);
    if (this.peek() !== '-' || next === '' || next === '-' || isSpace(next)) return false;
    this.index += 1;
    return true;
  }

  /** Whether the whole word is next. */
  isAtWord(word: string): boolean {
    if (!this.#text.startsWith(word, this.index)) return false;
    const after = this.#text.charAt(this.index + word.length);
    return after === '' || after === '(' || after === ')' || isSpace(after);
  }

  /** Accepts a word and the space after it. */
  acceptWord(word: string): boolean {
    if (!this.isAtWord(word)) return false;
    this.index += word.length;
    this.skipSpace();
    return true;
  }

  /** Scans a field name and its colon; undefined, without moving, if the next term has no field. */
  scanFieldName(): string | undefined {
    const start = this.index;
    for (let index = start; ; index += 1) {
      const character = this.#text.charAt(index);
      if (character === ':') {
        this.index = index + 1;
        return this.#text.slice(start, index);
      }
      if (character === '"' && KEY_PREFIXES.includes(this.#text.slice(start, index))) {
        return this.#scanQuotedKey(this.#text.slice(start, index), index);
      }
      if (character === '' || character === '"' || isSpace(character)) return undefined;
    }
  }

  /** Scans a quoted phrase or the text up to the next space; undefined if it is empty. */
  scanValue(): TextPattern | undefined {
    this.#countValue();
    return this.peek() === '"' ? this.#scanQuoted() : this.#scanBare();
  }

  /** Scans a quoted phrase or the text up to the next comma, bracket or space; undefined if it is empty. */
  scanListValue(): TextPattern | undefined {
    this.#countValue();
    if (this.peek() === '"') return this.#scanQuoted();
    const start = this.index;
    while (!this.atEnd() && !isSpace(this.peek()) && !',[]()"'.includes(this.peek())) this.index += 1;
    return this.#patternFrom(start);
  }

  #countValue(): void {
    this.#values += 1;
    if (this.#values <= MAX_VALUES) return;
    throw new QueryFault(this.index, `the query has more than ${MAX_VALUES} values; use fewer words.`);
  }

  #scanQuotedKey(prefix: string, quote: number): string {
    this.index = quote;
    const key = this.#scanQuoted().join('*');
    if (!this.accept(':')) throw new QueryFault(this.index, 'expected ":" after the quoted name.');
    return prefix + key;
  }

  #scanQuoted(): TextPattern {
    const start = this.index;
    const parts: [string, ...string[]] = [''];
    for (let index = start + 1; index < this.#text.length; index += 1) {
      const character = this.#text.charAt(index);
      if (character === '"') {
        this.index = index + 1;
        return parts;
      }
      if (character === '*') {
        parts.push('');
        continue;
      }
      const escaped = character === '\\' && '"\\*'.includes(this.#text.charAt(index + 1) || ' ');
      if (escaped) index += 1;
      parts[parts.length - 1] += escaped ? this.#text.charAt(index) : character;
    }
    throw new QueryFault(start, 'the quote is not closed; add " at its end, or write \\" for a quote inside quotes.');
  }

  #scanBare(): TextPattern | undefined {
    const start = this.index;
    let open = 0;
    for (; !this.atEnd() && !isSpace(this.peek()); this.index += 1) {
      if (this.peek() === '(') open += 1;
      if (this.peek() === ')') open -= 1;
      // A bracket that this word did not open closes a group.
      if (open < 0) break;
    }
    return this.#patternFrom(start);
  }

  #patternFrom(start: number): TextPattern | undefined {
    return this.index === start ? undefined : splitPattern(this.#text.slice(start, this.index));
  }
}

function isSpace(character: string): boolean {
  return character !== '' && SPACE.test(character);
}
