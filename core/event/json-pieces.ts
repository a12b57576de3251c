import type { JsonValue } from './json.js';
import { textPieces } from './text.js';

/** Units that are gathered before a piece is given. */
const PIECE_UNITS = 32 * 1024;

/** What is written and not given yet: tokens, because the reader of texts that were joined one by one joins them again. */
interface Gathered {
  tokens: string[];
  units: number;
}

/** What `JSON.stringify` writes of a value, in pieces: for work that pauses in between, or wants only the beginning. Depth must be bounded: it is walked by recursion. */
export function* jsonPieces(value: JsonValue): Generator<string, void, undefined> {
  const gathered: Gathered = { tokens: [], units: 0 };
  yield* pieces(value, gathered);
  yield taken(gathered);
}

function* pieces(value: JsonValue, out: Gathered): Generator<string, void, undefined> {
  if (typeof value === 'string' && value.length > PIECE_UNITS) {
    add(out, '"');
    yield taken(out);
    for (const piece of textPieces(value)) yield JSON.stringify(piece).slice(1, -1);
    add(out, '"');
  } else if (typeof value !== 'object' || value === null) add(out, JSON.stringify(value));
  else if (Array.isArray(value)) {
    let sign = '[';
    for (const one of value) {
      add(out, sign);
      sign = ',';
      yield* pieces(one, out);
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
  if (out.units >= PIECE_UNITS) yield taken(out);
}

function add(out: Gathered, token: string): void {
  out.tokens.push(token);
  out.units += token.length;
}

function taken(out: Gathered): string {
  const text = out.tokens.join('');
  out.tokens = [];
  out.units = 0;
  return text;
}
