import { LRUCache } from 'lru-cache';
import { SEARCH_TEXT_SEPARATOR, searchTextOf } from '../../query/searchable.js';
import { matchesPattern, type TextPattern } from '../../query/text-pattern.js';
import type { IssueState } from '../index/content/issue-state.js';

/** Issues whose texts lie in one string, which is read from end to end; as strings of their own they lie all over the memory. */
const ISSUES_PER_BLOCK = 256;

/** Issues of a block that are looked at one by one; for more of them the whole block is looked through at once. */
const ASKED_ALONE = 32;
/**
 * A part that is longer than this is found by a piece of it that begins with its rarest letter: V8 leaps from one such letter to the next. For longer
 * texts it makes a table at each call, which was a third of a search for a word that one issue in five holds.
 */
const LONGEST_PIECE = 6;
/** A shorter piece is found too often where the part is not. */
const LEAST_PIECE = 3;
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
const MAX_TITLES_ASKED = 8;

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
  readonly #titles = new LRUCache<string, (Uint8Array | undefined)[]>({ max: MAX_TITLES_ASKED, memoMethod: () => [] });

  /** `issues` by ordinal; it may grow. */
  constructor(issues: readonly IssueState[]) {
    this.#issues = issues;
  }

  /** The search text of one issue. */
  textOf(ordinal: number): string {
    const place = ordinal % ISSUES_PER_BLOCK;
    const { text, starts } = this.#blockOf(ordinal);
    return text.slice(starts[place], (starts[place + 1] ?? 0) - SEARCH_TEXT_SEPARATOR.length);
  }

  /** Tells by ordinal whether an issue's search text holds a part, which must be in lower case. Quick when issues are asked in order. */
  holding(part: string): (ordinal: number) => boolean {
    const needle = needleOf(part);
    const answers = new Uint8Array(ISSUES_PER_BLOCK);
    let block: Block = { text: '', starts: [] };
    let first = 0;
    let end = 0;
    let asked = 0;
    let isOftenAsked = false;
    let isMarked = false;
    return (ordinal) => {
      if (ordinal < first || ordinal >= end) {
        block = this.#blockOf(ordinal);
        first = ordinal - (ordinal % ISSUES_PER_BLOCK);
        end = first + block.starts.length - 1;
        isOftenAsked = asked > ASKED_ALONE;
        isMarked = false;
        asked = 0;
      }
      asked += 1;
      // Where something else rules out most issues, the few others are looked at one by one.
      if (!isMarked && !isOftenAsked && asked <= ASKED_ALONE) return this.textOf(ordinal).includes(part);
      if (!isMarked) markHolders(block, needle, answers);
      isMarked = true;
      return answers[ordinal - first] === 1;
    };
  }

  /** Tells by ordinal whether an issue's title matches. Each block is looked through once, and remembered for the pages that follow. */
  titleMatcher(pattern: TextPattern): (ordinal: number) => boolean {
    const answers = this.#titles.memo(JSON.stringify(pattern));
    const finders = pattern.filter((part) => part !== '').map((part) => this.holding(part));
    return (ordinal) => {
      const number = Math.floor(ordinal / ISSUES_PER_BLOCK);
      const place = ordinal % ISSUES_PER_BLOCK;
      let known = answers[number];
      if (known === undefined || known.length <= place) {
        known = this.#judgeTitles(pattern, finders, number * ISSUES_PER_BLOCK);
        answers[number] = known;
      }
      return known[place] === 1;
    };
  }

  #judgeTitles(pattern: TextPattern, finders: readonly ((ordinal: number) => boolean)[], first: number): Uint8Array {
    const known = new Uint8Array(Math.min(ISSUES_PER_BLOCK, this.#issues.length - first));
    for (let place = 0; place < known.length; place += 1) {
      if (!finders.every((holds) => holds(first + place))) continue;
      const title = this.#issues[first + place]?.title.toLowerCase() ?? '';
      known[place] = matchesPattern(pattern, title) ? 1 : 0;
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
  if (part.length <= LONGEST_PIECE) return { part, at: 0, piece: part };
  let at = 0;
  let best = -1;
  for (let place = 0; place <= part.length - LEAST_PIECE; place += 1) {
    const rarity = COMMON_FIRST.indexOf(part.charAt(place)) >>> 0;
    if (rarity > best) [at, best] = [place, rarity];
  }
  return { part, at, piece: part.slice(at, at + LONGEST_PIECE) };
}

function markHolders({ text, starts }: Block, needle: Needle, answers: Uint8Array): void {
  const { part } = needle;
  let { piece, at } = needle;
  answers.fill(0);
  let place = 0;
  let strays = 0;
  for (let found = text.indexOf(piece); found >= 0; ) {
    while ((starts[place + 1] ?? text.length) <= found) place += 1;
    const from = found - at;
    const next = starts[place + 1] ?? text.length;
    // A part that contains the separator may extend beyond its issue: that is not a match.
    const isInside = from >= (starts[place] ?? 0) && from + part.length < next;
    const isFind = isInside && (piece === part || text.startsWith(part, from));
    if (isFind) answers[place] = 1;
    else strays += 1;
    let goOn = isFind ? next : found + 1;
    if (strays > MAX_STRAYS && piece !== part) {
      goOn -= isFind ? 0 : at;
      [piece, at] = [part, 0];
    }
    found = text.indexOf(piece, goOn);
  }
}
