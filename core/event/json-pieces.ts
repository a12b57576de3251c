import type { JsonObject, JsonValue } from './json.js';
import { textPieces } from './text.js';

/** UTF-16 units buffered before a piece is yielded. */
const PIECE_UNITS = 32 * 1024;

type Pieces = Generator<string, void, undefined>;

/** Yields the text of `JSON.stringify(value)` in pieces, so callers can pause or stop early. Recursive: the depth of the value must be bounded. */
export function* jsonPieces(value: JsonValue): Pieces {
  const writer = new PieceWriter();
  yield* writer.value(value);
  yield writer.flush();
}

class PieceWriter {
  /** Joined once per piece: V8 keeps repeated concatenation as a rope and flattens it later. */
  #tokens: string[] = [];
  #units = 0;

  *value(value: JsonValue): Pieces {
    if (typeof value === 'string' && value.length > PIECE_UNITS) yield* this.#longText(value);
    else if (typeof value !== 'object' || value === null) this.#add(JSON.stringify(value));
    else if (Array.isArray(value)) yield* this.#array(value);
    else yield* this.#object(value);
    if (this.#units >= PIECE_UNITS) yield this.flush();
  }

  *#longText(text: string): Pieces {
    this.#add('"');
    yield this.flush();
    for (const piece of textPieces(text)) yield JSON.stringify(piece).slice(1, -1);
    this.#add('"');
  }

  *#array(items: readonly JsonValue[]): Pieces {
    let separator = '';
    this.#add('[');
    for (const item of items) {
      this.#add(separator);
      separator = ',';
      yield* this.value(item);
    }
    this.#add(']');
  }

  *#object(members: JsonObject): Pieces {
    let separator = '';
    this.#add('{');
    for (const key of Object.keys(members)) {
      this.#add(separator);
      separator = ',';
      yield* this.value(key);
      this.#add(':');
      yield* this.value(members[key] ?? null);
    }
    this.#add('}');
  }

  #add(token: string): void {
    this.#tokens.push(token);
    this.#units += token.length;
  }

  /** Returns what was not yielded yet. */
  flush(): string {
    const text = this.#tokens.join('');
    this.#tokens = [];
    this.#units = 0;
    return text;
  }
}
