import { sparkline, trendInWords } from '../../../tui/text/sparkline.js';

const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);

describe('a sparkline', () => {
  it.each<[number[], number, string]>([
    [[], 8, ''],
    [[0, 0, 0], 3, '···'],
    [[1, 0, 8], 3, '▂·█'],
    [[1, 0, 1_000_000], 3, '▁·█'],
    [[0, 1, 2, 3, 4, 5, 6, 7], 8, '·▂▃▄▅▆▇█'],
    [[1, 1, 3, 3], 2, '▃█'],
    [[5], 8, '█'],
    [[1, 0, 2], 3, '▃·▅'],
    [zeros(24), 8, '········'],
  ])('of %j in %s cells is %j', (counts, cells, shown) => {
    expect(sparkline(counts, cells)).toBe(shown);
  });

  it('shows every event: the smallest count is still a bar', () => {
    const counts = [...zeros(23), 1].map((count, hour) => (hour === 0 ? 1e9 : count));
    expect(sparkline(counts, 24)).toBe(`█${'·'.repeat(22)}▁`);
  });
});

describe('a trend in words', () => {
  it.each<[number[], string]>([
    [zeros(24), 'none'],
    [Array.from({ length: 24 }, () => 2), '48 steady'],
    [[...zeros(20), 4, 4, 4, 4], '16 rising'],
    [[4, 4, 4, 4, ...zeros(20)], '16 falling'],
    [[3], '3 steady'],
  ])('of %j is %j', (counts, words) => {
    expect(trendInWords(counts)).toBe(words);
  });
});
