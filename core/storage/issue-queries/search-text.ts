import { LRUCache } from 'lru-cache';
import { SEARCH_TEXT_SEPARATOR, searchTextOf } from '../../query/searchable.js';
import { matchesPattern, type TextPattern } from '../../query/text-pattern.js';
import type { IssueState } from '../index/content/issue-state.js';

/** Issues whose texts share one string: reading one string is faster than many scattered ones. */
const ISSUES_PER_BLOCK = 256;

/** Above this number of checks in a block, the whole block is searched at once. */
const MAX_SINGLE_CHECKS = 32;
/** Longer parts are searched by a piece with their rarest letter: V8 builds a table for longer needles. */
const MAX_PIECE = 6;
/** Shorter pieces match too often without the part. */
const MIN_PIECE = 3;
/** False matches of the piece in a block after which the whole part is searched. */
const MAX_STRAYS = 128;
/** By frequency, most frequent first; other characters are rarer. */
const COMMON_FIRST = ' etaoinsrldcupmhfg.bvyw0123456789/-:_kxjqz';

interface Needle {
  readonly part: string;
  readonly piece: string;
  readonly at: number;
}

/** Cached patterns; each needs a byte for each issue. */
const MAX_TITLE_PATTERNS = 8;

interface Block {
  readonly text: string;
  /** Offsets of the issues' texts, and the end of the last separator. */
  readonly starts: readonly number[];
}

/** Search texts of all issues of an index, built block by block on demand; they never change. */
export class SearchTexts {
  readonly #issues: readonly IssueState[];
  readonly #blocks: Block[] = [];
  /** By pattern and block: which titles match. */
  readonly #titles = new LRUCache<string, (Uint8Array | undefined)[]>({
    max: MAX_TITLE_PATTERNS,
    memoMethod: () => [],
  });

  /** `issues` by ordinal; the array may grow. */
  constructor(issues: readonly IssueState[]) {
    this.#issues = issues;
  }

  textOf(ordinal: number): string {
    const index = ordinal % ISSUES_PER_BLOCK;
    const { text, starts } = this.#blockOf(ordinal);
    return text.slice(starts[index], (starts[index + 1] ?? 0) - SEARCH_TEXT_SEPARATOR.length);
  }

  /** Returns whether the search text of an issue contains a lower-case part; fastest in order of ordinals. */
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
      // If other terms exclude most issues, check the few that remain one by one.
      if (!isSearched && !isBusy && calls <= MAX_SINGLE_CHECKS) return this.textOf(ordinal).includes(part);
      if (!isSearched) findHolders(block, needle, matches);
      isSearched = true;
      return matches[ordinal - first] === 1;
    };
  }

  /** Returns whether the title of an issue matches; results are cached for later pages. */
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

  /** The newest block is rebuilt when issues were added. */
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

/** Short parts are searched whole. */
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
    // A part with the separator in it may extend beyond its issue: not a match.
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
