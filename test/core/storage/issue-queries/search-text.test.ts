import fc from 'fast-check';
import { createIssueState, IssueMemory, type IssueState } from '../../../../core/storage/index/content/issue-state.js';
import { SearchTexts } from '../../../../core/storage/issue-queries/search-text.js';
import { issueHeader } from '../index/issue-header.js';

function issuesOf(messages: readonly string[]): IssueState[] {
  const memory = new IssueMemory();
  return messages.map((message, ordinal) => createIssueState({ ...issueHeader(ordinal), message }, ordinal, memory));
}

/** Few letters, so that pieces match where the whole part does not. */
const text = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b', 'k', ' '), maxLength });

describe('search texts', () => {
  it('find the issues that contain a part, for any number of checks', () => {
    fc.assert(
      fc.property(
        fc.array(text(40), { minLength: 1, maxLength: 600 }),
        text(12),
        fc.nat(40),
        (messages, part, skip) => {
          fc.pre(part !== '');
          const texts = new SearchTexts(issuesOf(messages));
          const holds = texts.holding(part);
          for (let ordinal = messages.length - 1; ordinal >= 0; ordinal -= 1 + skip) {
            expect(holds(ordinal)).toBe(texts.textOf(ordinal).includes(part));
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('find a long part among many nearly equal texts', () => {
    const messages = Array.from(
      { length: 256 },
      (_, index) => `${'kab'.repeat(20)}${index % 7 === 0 ? 'kabkabkabx' : ''}`,
    );
    const texts = new SearchTexts(issuesOf(messages));
    const holds = texts.holding('kabkabkabx');
    const found = messages.map((_, ordinal) => holds(ordinal));
    expect(found).toEqual(messages.map((_, ordinal) => ordinal % 7 === 0));
  });

  it('never match a part across two issues', () => {
    const texts = new SearchTexts(issuesOf(Array.from({ length: 100 }, () => 'end')));
    const holds = texts.holding('end\0issue 5');
    expect(Array.from({ length: 100 }, (_, ordinal) => holds(ordinal))).not.toContain(true);
  });
});
