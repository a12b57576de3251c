import { SEARCH_TEXT_SEPARATOR } from '../../core/query/searchable.js';
import type { TextPattern } from '../../core/query/text-pattern.js';
import type { Steps } from './event-processor/steps.js';

/** Equal to `matchesPattern` on the concatenated lower-case pieces; buffers only what a pattern part can span. */
export function* piecesMatch(pattern: TextPattern, pieces: Iterable<string>): Steps<boolean> {
  if (pattern.length === 1) return yield* piecesAre(pattern[0], pieces);
  const [first] = pattern;
  const last = pattern[pattern.length - 1] ?? '';
  const middle = pattern.slice(1, -1);
  let isBegun = false;
  let found = 0;
  let rest = '';
  for (const piece of pieces) {
    rest += piece;
    if (!isBegun) {
      if (rest.length < first.length) continue;
      if (!rest.startsWith(first)) return false;
      rest = rest.slice(first.length);
      isBegun = true;
    }
    const search = afterParts(middle.slice(found), rest);
    found += search.found;
    if (found === middle.length && last === '') return true;
    const sought = middle[found];
    rest = endOf(search.rest, sought === undefined ? last.length : sought.length - 1);
    yield;
  }
  return isBegun && found === middle.length && rest.endsWith(last);
}

/** Equal to `holdsInOrder` on the concatenated lower-case pieces: whether one of the separated texts contains all parts in order. */
export function* piecesHold(parts: readonly string[], pieces: Iterable<string>): Steps<boolean> {
  if (parts.some((part) => part.includes(SEARCH_TEXT_SEPARATOR))) return false;
  let found = 0;
  let rest = '';
  for (const piece of pieces) {
    const texts = (rest + piece).split(SEARCH_TEXT_SEPARATOR);
    for (const [at, text] of texts.entries()) {
      if (at > 0) found = 0;
      const search = afterParts(parts.slice(found), text);
      found += search.found;
      if (found === parts.length) return true;
      rest = endOf(search.rest, (parts[found]?.length ?? 1) - 1);
    }
    yield;
  }
  return false;
}

function* piecesAre(text: string, pieces: Iterable<string>): Steps<boolean> {
  let seen = 0;
  for (const piece of pieces) {
    if (!text.startsWith(piece, seen)) return false;
    seen += piece.length;
    yield;
  }
  return seen === text.length;
}

/** Finds the parts in order, each at its first position; returns their number and the text after them. */
function afterParts(parts: readonly string[], text: string): { found: number; rest: string } {
  let from = 0;
  let found = 0;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    if (at < 0) break;
    from = at + part.length;
    found += 1;
  }
  return { found, rest: text.slice(from) };
}

function endOf(text: string, units: number): string {
  return text.slice(Math.max(0, text.length - units));
}
