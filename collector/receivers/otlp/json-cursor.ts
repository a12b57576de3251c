import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isJsonSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '../json-bytes.js';
import { JsonValuePass } from '../json-value-pass.js';
import { otlpInvalid } from './otlp-invalid.js';

/** Bytes passed between two places where the walk may pause. */
const PAUSE_BYTES = 16 * 1024;

/** White space in a row, over which the walk cannot pause. */
const MAX_SPACE_BYTES = 64 * 1024;

/** A longer member name is none that we know. */
const MAX_NAME_BYTES = 64;

/** A walk in short steps: each gives something found, or undefined where the walk may pause. */
export type WalkSteps<Found = undefined> = Generator<Found | undefined, void>;

/**
 * Walks over JSON without parsing it, so that each value may be parsed later on its own, or found not to parse.
 * Throws `OTLP_INVALID` where an array or object that it enters is not well formed.
 */
export class JsonCursor {
  readonly #bytes: Buffer;
  readonly #end: number;
  #pauseAt: number;
  /** Position of the next byte. */
  at: number;
  /** Members of objects and elements of arrays in the value that was passed last. */
  members = 0;

  constructor(bytes: Buffer, start: number, end: number) {
    this.#bytes = bytes;
    this.#end = end;
    this.#pauseAt = start + PAUSE_BYTES;
    this.at = start;
  }

  get isAtArray(): boolean {
    return this.#peek() === OPEN_BRACKET;
  }

  get isAtObject(): boolean {
    return this.#peek() === OPEN_BRACE;
  }

  /** Passes the array that begins here; `passElement` is called at the first byte of each element and passes it. */
  *array<Found>(passElement: () => WalkSteps<Found>): WalkSteps<Found> {
    this.#take(OPEN_BRACKET);
    if (this.#takeIf(CLOSE_BRACKET)) return;
    do {
      this.#peek();
      yield* passElement();
    } while (this.#takeIf(COMMA));
    this.#take(CLOSE_BRACKET);
  }

  /** Passes the object that begins here; `passMember` is called at the first byte of each member's value and passes it. */
  *object<Found>(passMember: (name: string) => WalkSteps<Found>): WalkSteps<Found> {
    this.#take(OPEN_BRACE);
    if (this.#takeIf(CLOSE_BRACE)) return;
    do {
      if (this.#peek() !== QUOTE) throw this.#unexpected();
      const start = this.at;
      yield* this.value();
      const name = this.#nameAt(start);
      this.#take(COLON);
      this.#peek();
      yield* passMember(name);
    } while (this.#takeIf(COMMA));
    this.#take(CLOSE_BRACE);
  }

  /** Passes any value. */
  *value(): WalkSteps {
    this.#peek();
    const start = this.at;
    const pass = new JsonValuePass();
    for (;;) {
      this.at = pass.advance(this.#bytes, this.at, Math.min(this.#end, this.#pauseAt));
      if (pass.isDone || this.at >= this.#end) break;
      this.#pauseAt = this.at + PAUSE_BYTES;
      yield undefined;
    }
    this.members = pass.members;
    const isWhole = pass.isDone || (this.at === this.#end && pass.mayEndHere);
    if (this.at === start || !isWhole) throw this.#unexpected();
  }

  /** Passes the end. Throws when anything but white space stands before it. */
  end(): void {
    if (this.#peek() !== undefined) throw this.#unexpected();
  }

  #nameAt(start: number): string {
    if (this.at - start > MAX_NAME_BYTES) return '';
    const text = this.#bytes.toString('utf8', start, this.at);
    if (!text.includes('\\')) return text.slice(1, -1);
    try {
      return String(JSON.parse(text));
    } catch {
      // What is around the lists is parsed as well, and refused then.
      return '';
    }
  }

  /** The next byte that is no white space, where the cursor stands then; undefined at the end. */
  #peek(): number | undefined {
    const limit = Math.min(this.#end, this.at + MAX_SPACE_BYTES);
    while (this.at < limit) {
      const byte = this.#bytes[this.at];
      if (!isJsonSpace(byte)) return byte;
      this.at++;
    }
    if (this.at < this.#end)
      throw otlpInvalid(`more than ${MAX_SPACE_BYTES} bytes of white space in a row, at byte ${this.at}`);
    return undefined;
  }

  #takeIf(expected: number): boolean {
    if (this.#peek() !== expected) return false;
    this.at++;
    return true;
  }

  #take(expected: number): void {
    if (!this.#takeIf(expected)) throw this.#unexpected();
  }

  #unexpected(): Error {
    if (this.at >= this.#end) return otlpInvalid('its JSON is not whole: it ends too early');
    const found = JSON.stringify(this.#bytes.toString('latin1', this.at, this.at + 1));
    return otlpInvalid(`its JSON breaks at byte ${this.at}, where ${found} cannot stand`);
  }
}
