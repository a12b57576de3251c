import { scoresOf } from './scores.js';

const events = (...groups: readonly string[]) =>
  groups.flatMap((labels, group) => [...labels].map((label) => ({ label, fingerprint: String(group) })));

describe('scoresOf', () => {
  it('is 1 for a grouping that equals the labels', () => {
    expect(scoresOf(events('aaa', 'bb'))).toEqual({ accuracy: 1, precision: 1, recall: 1, f1: 1 });
  });

  it('counts pairs of two labels in one group against precision', () => {
    // One group has 10 pairs, of which 3 and 1 have one label.
    expect(scoresOf(events('aaabb'))).toMatchObject({ accuracy: 0, precision: 0.4, recall: 1 });
  });

  it('counts pairs of one label in two groups against recall', () => {
    // Six pairs have label a; one group has three of them, the other none.
    const { accuracy, precision, recall, f1 } = scoresOf(events('aaa', 'a', 'bb'));
    expect({ accuracy, precision }).toEqual({ accuracy: 2 / 6, precision: 1 });
    expect(recall).toBeCloseTo(4 / 7);
    expect(f1).toBeCloseTo(8 / 11);
  });
});
