import { histogramLines, histogramWords } from '../../../tui/format/event/histogram-view.js';
import { ASCII_SIGNS, UNICODE_SIGNS } from '../../../tui/text/characters.js';
import { histogramRows, resample, selectionRow } from '../../../tui/text/histogram.js';
import type { Line } from '../../../tui/text/line.js';
import { betweenWords, durationWords } from '../../../tui/text/time-words.js';

const { levels } = UNICODE_SIGNS;
const textOf = (line: Line): string => line.map(({ text }) => text).join('');

describe('a histogram', () => {
  it('has sixteen steps over two rows, and shows every count above 0', () => {
    const counts = [0, 1, 8, 9, 15, 16, 1_600];
    const rows = histogramRows(counts.slice(0, 6), { rows: 2, levels, selected: undefined }).map(textOf);
    expect(rows).toEqual(['   ▁▇█', ' ▁████']);
    const one = histogramRows(counts, { rows: 1, levels, selected: undefined }).map(textOf);
    expect(one).toEqual([' ▁▁▁▁▁█']);
    expect(histogramRows([0, 0], { rows: 2, levels, selected: undefined }).map(textOf)).toEqual(['  ', '  ']);
  });

  it('marks selected bars by their look and by signs below them', () => {
    const [row = []] = histogramRows([1, 1, 1, 1], { rows: 1, levels, selected: { first: 1, last: 2 } });
    expect(row).toEqual([
      { text: '█', meaning: 'bar' },
      { text: '██', meaning: 'bar_selected' },
      { text: '█', meaning: 'bar' },
    ]);
    expect(textOf(selectionRow({ first: 1, last: 2 }))).toBe(' []');
    expect(textOf(selectionRow({ first: 3, last: 3 }))).toBe('   ^');
    expect(textOf(selectionRow({ first: 0, last: 4 }))).toBe('[===]');
  });

  it('merges buckets if there are fewer cells', () => {
    expect(resample([1, 2, 3, 4], 2)).toEqual([3, 7]);
    expect(resample([1, 2, 3, 4], 4)).toEqual([1, 2, 3, 4]);
    expect(resample([1, 2], 60)).toEqual([1, 2]);
  });

  it('shows when it ends, its greatest count, and that older events are not included', () => {
    const histogram = {
      from: '2026-11-20T10:00:00.000000000+00:00',
      to: '2026-11-20T11:00:00.000000000+00:00',
      counts: Array.from({ length: 80 }, (_, part) => part * 20),
      is_complete: false,
    };
    const range = { from: '2026-11-20T10:45:00Z', to: '2026-11-20T11:00:00Z' };
    const options = { cells: 80, rows: 1, signs: ASCII_SIGNS, zone: 'utc', range } as const;
    const lines = histogramLines(histogram, options).map(textOf);
    expect(lines[1]).toBe(`${' '.repeat(60)}[${'='.repeat(18)}]`);
    expect(lines[2]).toMatch(/^2026-11-20 10:00:00 {2}most 1,580 in 45s, newest only +2026-11-20 11:00:00$/);
    expect(histogramWords(histogram, 'utc').map(textOf)).toEqual([
      'The newest 63,200 events, 2026-11-20 10:00:00 to 11:00:00',
      'Most: 1,580 in 45s from 2026-11-20 10:59:15',
    ]);
  });
});

describe('words for times', () => {
  it('are short', () => {
    expect([90_061_000, 900_000, 150_000, 800, 0].map(durationWords)).toEqual([
      '1d 1h',
      '15m',
      '2m 30s',
      '800ms',
      '0ms',
    ]);
    expect(betweenWords('2026-11-20T23:00:00Z', '2026-11-21T01:00:00Z', 'utc')).toBe(
      '2026-11-20 23:00:00 to 2026-11-21 01:00:00',
    );
  });
});
