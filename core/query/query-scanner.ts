import { QueryFault } from './query-fault.js';
import { TAG_PREFIX } from './query-fields.js';
import type { TextPattern } from './text-pattern.js';

const SPACE = /\s/;

/** Reads query text from left to right; every character is looked at a fixed number of times. */
export class QueryScanner {
  /** Zero-based place of the next character. */
  index = 0;
  readonly #text: string;

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

  /** Takes that one character if it is next. */
  take(character: string): boolean {
    if (this.peek() !== character) return false;
    this.index += 1;
    return true;
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
      if (character === '"' && this.#text.slice(start, index) === TAG_PREFIX) return this.#takeQuotedKey(index);
      if (character === '' || character === '"' || isSpace(character)) return undefined;
    }
  }

  /** Takes a quoted phrase or everything up to the next space; undefined when there is nothing to take. */
  takeValue(): TextPattern | undefined {
    return this.peek() === '"' ? this.#takeQuoted() : this.#takeBare();
  }

  #takeQuotedKey(quote: number): string {
    this.index = quote;
    const key = this.#takeQuoted().join('*');
    if (!this.take(':')) throw new QueryFault(this.index, 'expected ":" after the quoted name.');
    return TAG_PREFIX + key;
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
    const [first = '', ...rest] = this.#text.slice(start, this.index).split('*');
    return [first, ...rest];
  }
}

function isSpace(character: string): boolean {
  return character !== '' && SPACE.test(character);
}
