import { QueryFault } from './query-fault.js';
import { KEY_PREFIXES } from './query-fields.js';
import type { TextPattern } from './text-pattern.js';

const SPACE = /\s/;
/** Values in one query, those of lists one by one: each costs something for every issue that is looked at. */
const MAX_VALUES = 256;

/** Reads query text from left to right; every character is looked at a fixed number of times. */
export class QueryScanner {
  /** Zero-based place of the next character. */
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

  /** The text from there to the next character. */
  textFrom(start: number): string {
    return this.#text.slice(start, this.index);
  }

  /** Takes that one character if it is next. */
  take(character: string): boolean {
    if (this.peek() !== character) return false;
    this.index += 1;
    return true;
  }

  /** Whether that text is next. */
  sees(text: string): boolean {
    return this.#text.startsWith(text, this.index);
  }

  /** Takes so many characters. */
  skip(characters: number): void {
    this.index += characters;
  }

  /** Takes a minus sign that stands directly before a term; alone it is text. */
  takeMinus(): boolean {
    const next = this.#text.charAt(this.index + 1);
    if (this.peek() !== '-' || next === '' || next === '-' || isSpace(next)) return false;
    this.index += 1;
    return true;
  }

  /** Whether that word is next and ends there. */
  seesWord(word: string): boolean {
    if (!this.#text.startsWith(word, this.index)) return false;
    const after = this.#text.charAt(this.index + word.length);
    return after === '' || after === '(' || after === ')' || isSpace(after);
  }

  /** Takes that word, and the space after it, if it is next. */
  takeWord(word: string): boolean {
    if (!this.seesWord(word)) return false;
    this.index += word.length;
    this.skipSpace();
    return true;
  }

  /** Takes a field's name and the colon after it; undefined, and nothing taken, when the next term names none. */
  takeFieldName(): string | undefined {
    const start = this.index;
    for (let index = start; ; index += 1) {
      const character = this.#text.charAt(index);
      if (character === ':') {
        this.index = index + 1;
        return this.#text.slice(start, index);
      }
      if (character === '"' && KEY_PREFIXES.includes(this.#text.slice(start, index))) {
        return this.#takeQuotedKey(this.#text.slice(start, index), index);
      }
      if (character === '' || character === '"' || isSpace(character)) return undefined;
    }
  }

  /** Takes a quoted phrase or everything up to the next space; undefined when there is nothing to take. */
  takeValue(): TextPattern | undefined {
    this.#countValue();
    return this.peek() === '"' ? this.#takeQuoted() : this.#takeBare();
  }

  /** Takes a quoted phrase or everything up to the next comma, bracket or space; undefined when there is nothing to take. */
  takeMember(): TextPattern | undefined {
    this.#countValue();
    if (this.peek() === '"') return this.#takeQuoted();
    const start = this.index;
    while (!this.atEnd() && !isSpace(this.peek()) && !',[]()"'.includes(this.peek())) this.index += 1;
    return this.index === start ? undefined : patternOf(this.textFrom(start));
  }

  #countValue(): void {
    this.#values += 1;
    if (this.#values <= MAX_VALUES) return;
    throw new QueryFault(this.index, `the query asks for more than ${MAX_VALUES} values; ask in fewer words.`);
  }

  #takeQuotedKey(prefix: string, quote: number): string {
    this.index = quote;
    const key = this.#takeQuoted().join('*');
    if (!this.take(':')) throw new QueryFault(this.index, 'expected ":" after the quoted name.');
    return prefix + key;
  }

  #takeQuoted(): TextPattern {
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
    throw new QueryFault(
      start,
      'this quote is never closed; add " at its end, or write \\" for a quote inside quotes.',
    );
  }

  #takeBare(): TextPattern | undefined {
    const start = this.index;
    let open = 0;
    for (; !this.atEnd() && !isSpace(this.peek()); this.index += 1) {
      if (this.peek() === '(') open += 1;
      if (this.peek() === ')') open -= 1;
      // A bracket that the word itself did not open closes a group.
      if (open < 0) break;
    }
    if (this.index === start) return undefined;
    return patternOf(this.textFrom(start));
  }
}

function patternOf(text: string): TextPattern {
  const [first = '', ...rest] = text.split('*');
  return [first, ...rest];
}

function isSpace(character: string): boolean {
  return character !== '' && SPACE.test(character);
}
