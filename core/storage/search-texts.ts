import { SEARCH_TEXT_SEPARATOR, searchTextOf } from '../query/searchable.js';
import type { IssueState } from './index/issue-state.js';

/** Issues whose texts lie in one string, which is read from end to end; as strings of their own they lie all over the memory. */
const ISSUES_PER_BLOCK = 256;

interface Block {
  readonly text: string;
  /** Where each issue's text begins, and where the last one's separator ends. */
  readonly starts: readonly number[];
}

/** What bare words look at in all issues of one index: made block by block as searches come to them, and never changed, since cards never change. */
export class SearchTexts {
  readonly #issues: readonly IssueState[];
  readonly #blocks: Block[] = [];

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
    let first = 0;
    let end = 0;
    const answers = new Uint8Array(ISSUES_PER_BLOCK);
    return (ordinal) => {
      if (ordinal < first || ordinal >= end) {
        const block = this.#blockOf(ordinal);
        first = ordinal - (ordinal % ISSUES_PER_BLOCK);
        end = first + block.starts.length - 1;
        markHolders(block, part, answers);
      }
      return answers[ordinal - first] === 1;
    };
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

function markHolders({ text, starts }: Block, part: string, answers: Uint8Array): void {
  answers.fill(0);
  let place = 0;
  for (let at = text.indexOf(part); at >= 0; ) {
    while ((starts[place + 1] ?? text.length) <= at) place += 1;
    const next = starts[place + 1] ?? text.length;
    // A part that holds the separator itself may reach into the next issue, which is no find.
    const isWithin = at + part.length < next;
    if (isWithin) answers[place] = 1;
    at = text.indexOf(part, isWithin ? next : at + 1);
  }
}
