import fc from 'fast-check';
import { anywhereInText, holdsInOrder, matchesPattern, type TextPattern } from '../../../core/query/text-pattern.js';

const letters = fc.string({ unit: fc.constantFrom('a', 'b', '|'), maxLength: 24 });
const part = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 3 });

describe('parts of a text in order', () => {
  it('are found in one text exactly if a pattern matches one of the texts', () => {
    fc.assert(
      fc.property(letters, fc.array(part, { minLength: 1, maxLength: 4 }), (texts, [first = '', ...rest]) => {
        const parts: TextPattern = [first, ...rest];
        const expected = texts.split('|').some((text) => matchesPattern(anywhereInText(parts), text));
        expect(holdsInOrder(parts, texts, '|')).toBe(expected);
      }),
    );
  });

  it('are never found across two texts', () => {
    expect(holdsInOrder(['a', 'b'], 'a|b', '|')).toBe(false);
    expect(holdsInOrder(['a|b'], 'a|b', '|')).toBe(false);
  });

  it('are found in linear time if every text has the first part and only the last has the second', () => {
    const texts = `${'a|'.repeat(500_000)}ab`;
    expect(holdsInOrder(['a', 'b'], texts, '|')).toBe(true);
    expect(holdsInOrder(['a', 'b|'], texts, '|')).toBe(false);
  });
});
