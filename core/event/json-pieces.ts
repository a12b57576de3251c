import type { JsonValue } from './json.js';
import { textPieces } from './text.js';

/** UTF-16 units buffered before a piece is yielded. */
const PIECE_UNITS = 32 * 1024;

/** Tokens are joined once per piece: V8 keeps repeated concatenation as a rope and flattens it later. */
interface PieceBuffer {
  tokens: string[];
  units: number;
}

/** Yields the text of `JSON.stringify(value)` in pieces, so callers can pause or stop early. Recursive: the depth of the value must be bounded. */
export function* jsonPieces(value: JsonValue): Generator<string, void, undefined> {
  const buffer: PieceBuffer = { tokens: [], units: 0 };
  yield* pieces(value, buffer);
  yield flush(buffer);
}

function* pieces(value: JsonValue, out: PieceBuffer): Generator<string, void, undefined> {
  if (typeof value === 'string' && value.length > PIECE_UNITS) {
    add(out, '"');
    yield flush(out);
    for (const piece of textPieces(value)) yield JSON.stringify(piece).slice(1, -1);
    add(out, '"');
  } else if (typeof value !== 'object' || value === null) add(out, JSON.stringify(value));
  else if (Array.isArray(value)) {
    let sign = '[';
    for (const item of value) {
      add(out, sign);
      sign = ',';
      yield* pieces(item, out);
    }
    add(out, sign === '[' ? '[]' : ']');
  } else {
    let sign = '{';
    for (const key of Object.keys(value)) {
      add(out, sign);
      sign = ',';
      yield* pieces(key, out);
      add(out, ':');
      yield* pieces(value[key] ?? null, out);
    }
    add(out, sign === '{' ? '{}' : '}');
  }
  if (out.units >= PIECE_UNITS) yield flush(out);
}

function add(out: PieceBuffer, token: string): void {
  out.tokens.push(token);
  out.units += token.length;
}

function flush(out: PieceBuffer): string {
  const text = out.tokens.join('');
  out.tokens = [];
  out.units = 0;
  return text;
}
