import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from '../json-bytes.js';

const SPACE = 0x20;
/** First bytes of `true`, of 1, and of `True` in a text. */
const FIRST_OF_TRUE: ReadonlySet<number | undefined> = new Set([0x74, 0x31, 0x54]);
/** Bytes between two pauses. */
const PIECE_BYTES = 256 * 1024;

/** Is told the structure of a JSON text in its order. */
export interface JsonVisitor {
  /** Whether to end the walk at the next pause. */
  readonly isOver: boolean;
  /** An object or array begins. */
  open(at: number): void;
  /** An element of the innermost array, or a member of the innermost object, begins. */
  begin(at: number): void;
  /** A key or value begins that may be `true` or 1, as a text or not. */
  mayBeTrue(at: number): void;
  /** The innermost object or array ends at its bracket. */
  close(at: number): void;
}

/** Walks a JSON text without parsing it; yields where the event loop may turn. Malformed text has some structure too. */
export function* walkJson(bytes: Buffer, visitor: JsonVisitor): Generator<undefined, void> {
  const walk = new Walk(bytes, visitor);
  while (walk.at < bytes.length && !visitor.isOver) {
    const stop = Math.min(bytes.length, walk.at + PIECE_BYTES);
    while (walk.at < stop) walk.pass(bytes[walk.at]);
    yield undefined;
  }
}

class Walk {
  at = 0;
  readonly #bytes: Buffer;
  readonly #visitor: JsonVisitor;
  /** True behind an opening bracket or a comma. */
  #isBeginning = false;

  constructor(bytes: Buffer, visitor: JsonVisitor) {
    this.#bytes = bytes;
    this.#visitor = visitor;
  }

  /** Passes the byte, or the string that begins with it. */
  pass(byte = SPACE): void {
    switch (byte) {
      case COMMA:
        this.#isBeginning = true;
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        this.#isBeginning = false;
        this.#visitor.close(this.at);
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        this.#begin();
        this.#visitor.open(this.at);
        this.#isBeginning = true;
        break;
      case QUOTE:
        this.#begin();
        if (FIRST_OF_TRUE.has(this.#bytes[this.at + 1])) this.#visitor.mayBeTrue(this.at);
        this.at = endOfString(this.#bytes, this.at);
        return;
      default:
        if (byte <= SPACE) break;
        this.#begin();
        if (FIRST_OF_TRUE.has(byte)) this.#visitor.mayBeTrue(this.at);
    }
    this.at++;
  }

  #begin(): void {
    if (this.#isBeginning) this.#visitor.begin(this.at);
    this.#isBeginning = false;
  }
}

/** The position behind the string that begins at `at`. */
export function endOfString(bytes: Buffer, at: number): number {
  let end = at + 1;
  while (end < bytes.length && bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1;
  return end + 1;
}
