import { LRUCache } from 'lru-cache';
import { SEARCH_TEXT_SEPARATOR, searchTextOf } from '../../query/searchable.js';
import { matchesPattern, type TextPattern } from '../../query/text-pattern.js';
import type { IssueState } from '../index/content/issue-state.js';

/** Issues whose texts lie in one string, which is read from end to end; as strings of their own they lie all over the memory. */
const ISSUES_PER_BLOCK = 256;

/** Issues of a block that are looked at one by one; for more of them the whole block is looked through at once. */
const MAX_SINGLE_CHECKS = 32;
/**
 * A part that is longer than this is found by a piece of it that begins with its rarest letter: V8 leaps from one such letter to the next. For longer
 * texts it makes a table at each call, which was a third of a search for a word that one issue in five holds.
 */
const MAX_PIECE = 6;
/** A shorter piece is found too often where the part is not. */
const MIN_PIECE = 3;
/** Finds of the piece without the part, in one block, after which the part itself is looked for. */
const MAX_STRAYS = 128;
/** What texts are made of, most frequent first; anything else is rarer. */
const COMMON_FIRST = ' etaoinsrldcupmhfg.bvyw0123456789/-:_kxjqz';

/** What is looked for: a part by a piece of it. */
interface Needle {
  readonly part: string;
  readonly piece: string;
  /** Where the piece begins in the part. */
  readonly at: number;
}

/** Patterns whose titles are remembered, a byte for each issue. */
const MAX_TITLE_PATTERNS = 8;

interface Block {
  readonly text: string;
  /** Where each issue's text begins, and where the last one's separator ends. */
  readonly starts: readonly number[];
}

/** What bare words look at in all issues of one index: made block by block as searches come to them, and never changed, since cards never change. */
export class SearchTexts {
  readonly #issues: readonly IssueState[];
  readonly #blocks: Block[] = [];
  /** By pattern: which titles match, block by block. */
  readonly #titles = new LRUCache<string, (Uint8Array | undefined)[]>({
    max: MAX_TITLE_PATTERNS,
    memoMethod: () => [],
  });

  /** `issues` by ordinal; it may grow. */
  constructor(issues: readonly IssueState[]) {
    this.#issues = issues;
  }

  /** The search text of one issue. */
  textOf(ordinal: number): string {
    const index = ordinal % ISSUES_PER_BLOCK;
    const { text, starts } = this.#blockOf(ordinal);
    return text.slice(starts[index], (starts[index + 1] ?? 0) - SEARCH_TEXT_SEPARATOR.length);
  }

  /** Tells by ordinal whether an issue's search text holds a part, which must be in lower case. Quick when issues are asked in order. */
  holding(part: string): (ordinal: number) => boolean {
    const needle = needleOf(part);
    const matches = new Uint8Array(ISSUES_PER_BLOCK);
    let block: Block = { text: '', starts: [] };
    let first = 0;
    let end = 0;
    let calls = 0;
    let isBusy = false;
    let isSearched = false;
    return (ordinal) => {
      if (ordinal < first || ordinal >= end) {
        block = this.#blockOf(ordinal);
        first = ordinal - (ordinal % ISSUES_PER_BLOCK);
        end = first + block.starts.length - 1;
        isBusy = calls > MAX_SINGLE_CHECKS;
        isSearched = false;
        calls = 0;
      }
      calls += 1;
      // Where something else rules out most issues, the few others are looked at one by one.
      if (!isSearched && !isBusy && calls <= MAX_SINGLE_CHECKS) return this.textOf(ordinal).includes(part);
      if (!isSearched) findHolders(block, needle, matches);
      isSearched = true;
      return matches[ordinal - first] === 1;
    };
  }

  /** Tells by ordinal whether an issue's title matches. Each block is looked through once, and remembered for the pages that follow. */
  titleMatcher(pattern: TextPattern): (ordinal: number) => boolean {
    const matches = this.#titles.memo(JSON.stringify(pattern));
    const finders = pattern.filter((part) => part !== '').map((part) => this.holding(part));
    return (ordinal) => {
      const number = Math.floor(ordinal / ISSUES_PER_BLOCK);
      const index = ordinal % ISSUES_PER_BLOCK;
      let known = matches[number];
      if (known === undefined || known.length <= index) {
        known = this.#matchTitles(pattern, finders, number * ISSUES_PER_BLOCK);
        matches[number] = known;
      }
      return known[index] === 1;
    };
  }

  #matchTitles(pattern: TextPattern, finders: readonly ((ordinal: number) => boolean)[], first: number): Uint8Array {
    const known = new Uint8Array(Math.min(ISSUES_PER_BLOCK, this.#issues.length - first));
    for (let index = 0; index < known.length; index += 1) {
      if (!finders.every((holds) => holds(first + index))) continue;
      const title = this.#issues[first + index]?.title.toLowerCase() ?? '';
      known[index] = matchesPattern(pattern, title) ? 1 : 0;
    }
    return known;
  }

  /** The newest block is made anew when an issue is asked that came after it was made. */
  #blockOf(ordinal: number): Block {
    const number = Math.floor(ordinal / ISSUES_PER_BLOCK);
    const known = this.#blocks[number];
    if (known !== undefined && known.starts.length > (ordinal % ISSUES_PER_BLOCK) + 1) return known;
    const block = createBlock(this.#issues.slice(number * ISSUES_PER_BLOCK, (number + 1) * ISSUES_PER_BLOCK));
    this.#blocks[number] = block;
    return block;
  }
}

function createBlock(issues: readonly IssueState[]): Block {
  const starts = [0];
  let end = 0;
  const texts = issues.map(({ title, errorName, message }) => {
    const text = searchTextOf([title, errorName, message]);
    end += text.length + SEARCH_TEXT_SEPARATOR.length;
    starts.push(end);
    return text;
  });
  return { text: texts.join(SEARCH_TEXT_SEPARATOR) + SEARCH_TEXT_SEPARATOR, starts };
}

/** Which piece of a part is looked for first; short ones are looked for whole. */
function needleOf(part: string): Needle {
  if (part.length <= MAX_PIECE) return { part, at: 0, piece: part };
  let at = 0;
  let best = -1;
  for (let index = 0; index <= part.length - MIN_PIECE; index += 1) {
    const rarity = COMMON_FIRST.indexOf(part.charAt(index)) >>> 0;
    if (rarity > best) [at, best] = [index, rarity];
  }
  return { part, at, piece: part.slice(at, at + MAX_PIECE) };
}

function findHolders({ text, starts }: Block, needle: Needle, matches: Uint8Array): void {
  const { part } = needle;
  let { piece, at } = needle;
  matches.fill(0);
  let index = 0;
  let strays = 0;
  for (let found = text.indexOf(piece); found >= 0; ) {
    while ((starts[index + 1] ?? text.length) <= found) index += 1;
    const from = found - at;
    const next = starts[index + 1] ?? text.length;
    // A part that contains the separator may extend beyond its issue: that is not a match.
    const isInside = from >= (starts[index] ?? 0) && from + part.length < next;
    const isMatch = isInside && (piece === part || text.startsWith(part, from));
    if (isMatch) matches[index] = 1;
    else strays += 1;
    let resumeAt = isMatch ? next : found + 1;
    if (strays > MAX_STRAYS && piece !== part) {
      resumeAt -= isMatch ? 0 : at;
      [piece, at] = [part, 0];
    }
    found = text.indexOf(piece, resumeAt);
  }
}
