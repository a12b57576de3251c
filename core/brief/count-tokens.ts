import { COMMON_TOKENS } from '../../generated/common-tokens.js';

const CONTRACTION = "'(?:[sdmtSDMT]|[lL][lL]|[vV][eE]|[rR][eE])";
const UPPER = '[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]';
const LOWER = '[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]';
const BEFORE = '[^\\r\\n\\p{L}\\p{N}]?';
/** How cl100k and o200k divide a text; tokens never reach beyond a piece. */
const PIECES = [
  `${CONTRACTION}|${BEFORE}\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`,
  `${BEFORE}${UPPER}*${LOWER}+(?:${CONTRACTION})?|${BEFORE}${UPPER}+${LOWER}*(?:${CONTRACTION})?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`,
].map((pattern) => new RegExp(pattern, 'gu'));
/** UTF-16 units of a piece that are divided; each unit of a longer one counts as a token. */
const MAX_DIVIDED = 100;
/** Tokens of so many characters are compared with their neighbours. */
const MAX_SHORT = 3;

let known: ReadonlySet<string> | undefined;

/** The most tokens that cl100k or o200k make of a text: never fewer than they count, and few more of English, JSON and code. */
export function countTokens(text: string): number {
  return Math.max(...PIECES.map((pattern) => scan(text, pattern, Number.POSITIVE_INFINITY).tokens));
}

/** UTF-16 units of about the longest start of a text that takes at most so many tokens. */
export function lengthWithin(text: string, tokens: number): number {
  return Math.min(...PIECES.map((pattern) => scan(text, pattern, tokens).end));
}

/** Counts the pieces of a text as far as they fit. */
function scan(text: string, pattern: RegExp, most: number): { readonly tokens: number; readonly end: number } {
  known ??= new Set(COMMON_TOKENS.split(COMMON_TOKENS.charAt(0)));
  let tokens = 0;
  for (const { 0: piece, index } of text.matchAll(pattern)) {
    const own = known.has(piece) ? 1 : mostTokens(piece, known);
    if (tokens + own > most) {
      const share = piece.length > MAX_DIVIDED ? Math.floor((piece.length * (most - tokens)) / own) : 0;
      return { tokens, end: index + share };
    }
    tokens += own;
  }
  return { tokens, end: text.length };
}

/** The longest division of a piece in which no two neighbours are together a known token, because the tokenizers join such. A token has at least a byte. */
function mostTokens(piece: string, tokens: ReadonlySet<string>): number {
  if (piece.length > MAX_DIVIDED || /[^\0-\x7f]/.test(piece)) return Buffer.byteLength(piece);
  // By the end of the last token and its length; 0: any longer token, or none.
  const most: number[][] = [[0]];
  // The most up to an end or before it.
  const upTo = [0];
  for (let end = 1; end <= piece.length; end += 1) {
    const counts = [end > MAX_SHORT ? (upTo[end - MAX_SHORT - 1] ?? 0) + 1 : Number.NEGATIVE_INFINITY];
    for (let length = 1; length <= Math.min(MAX_SHORT, end); length += 1) {
      const before = most[end - length] ?? [];
      const possible = before.filter((_, last) => last === 0 || !tokens.has(piece.slice(end - length - last, end)));
      counts.push(Math.max(...possible) + 1);
    }
    most.push(counts);
    upTo.push(Math.max(upTo[end - 1] ?? 0, ...counts));
  }
  return Math.max(1, ...(most.at(-1) ?? []));
}
