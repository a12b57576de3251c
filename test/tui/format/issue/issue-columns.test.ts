import type { IssueSummary } from '../../../../generated/reader-answers.js';
import { ISSUE_SIGNS, issueColumns } from '../../../../tui/format/issue/issue-columns.js';
import { PLAIN_THEME } from '../../../../tui/terminal/theme.js';
import { fitColumns, headingLine, rowLine } from '../../../../tui/text/columns.js';
import { cellsOf, neutralise } from '../../../../tui/text/visible.js';
import { sampleIssue } from '../../array-reader.js';

const NOW = Date.parse('2026-11-20T12:00:00Z');
type Options = Parameters<typeof issueColumns>[1];

const row = (issue: IssueSummary, width: number, options?: Options): string =>
  PLAIN_THEME.paint(rowLine(fitColumns(issueColumns(NOW, options), width), issue));
const headings = (width: number, options?: Options): string =>
  PLAIN_THEME.paint(headingLine(fitColumns(issueColumns(NOW, options), width)));

describe('the columns of issues', () => {
  it.each([
    [60, ['LEVEL', 'ISSUE', '24H', 'COUNT', 'SEEN']],
    [80, ['LEVEL', 'ISSUE', '24H', 'COUNT', 'SEEN', 'SERVICE']],
    [120, ['LEVEL', 'ISSUE', '24H', 'COUNT', 'USERS', 'SEEN', 'AGE', 'SERVICE', 'ENV']],
    [170, ['LEVEL', 'ISSUE', '24H', 'COUNT', 'USERS', 'SEEN', 'AGE', 'APP', 'SERVICE', 'ENV', 'RELEASE', 'ASSIGNED']],
    [
      220,
      [
        'LEVEL',
        'ISSUE',
        'CULPRIT',
        '24H',
        'COUNT',
        'USERS',
        'SEEN',
        'AGE',
        'APP',
        'SERVICE',
        'ENV',
        'RELEASE',
        'ASSIGNED',
      ],
    ],
  ])('at %s cells are those that fit', (width, names) => {
    expect(headings(width).trim().split(/ +/)).toEqual(names);
    const wide = sampleIssue(1, {
      error_name: 'Error',
      message: '漢'.repeat(300),
      service: '漢'.repeat(30),
      environments: ['漢'.repeat(30), 'b'],
    });
    expect(cellsOf(neutralise(row(wide, width)))).toBeLessThanOrEqual(width);
  });

  it.each<[keyof typeof ISSUE_SIGNS, Partial<IssueSummary>]>([
    ['regressed', { regressed: true, is_new: true, spiking: true }],
    ['spiking', { spiking: true, is_new: true }],
    ['new', { is_new: true }],
    ['resolved', { status: 'resolved', spiking: true }],
    ['ignored', { status: 'ignored' }],
    ['open', {}],
  ])('show a sign, or a word, for %s', (name, changes) => {
    const issue = sampleIssue(1, changes);
    expect(row(issue, 80).startsWith(`${ISSUE_SIGNS[name]} error`)).toBe(true);
    expect(row(issue, 80, { isForScreenReader: true }).startsWith(name)).toBe(true);
  });

  it('show the message of the first event, with a name that says something, or the title', () => {
    const shown = (changes: Partial<IssueSummary>) => row(sampleIssue(1, changes), 140);
    const message = 'order 4711 is gone\r\nand more';
    expect(shown({ title: 'StockError: order <n> is gone', error_name: 'StockError', message })).toContain(
      'StockError: order 4711 is gone  ',
    );
    expect(shown({ title: 'order <n> is gone', error_name: 'Error', message })).toContain(' order 4711 is gone  ');
    expect(shown({ title: 'StockError in take', error_name: 'StockError', message: ' ' })).toContain(
      'StockError in take',
    );
  });

  it('leave the title at least 50 cells from 140 on, and 60 beside the culprit', () => {
    const titleCells = (width: number): number => {
      const message = 'x'.repeat(300);
      return row(sampleIssue(1, { error_name: 'Error', message }), width).split('x').length;
    };
    for (let width = 140; width <= 300; width += 1) expect(titleCells(width)).toBeGreaterThanOrEqual(50);
    for (let width = 200; width <= 300; width += 1) expect(titleCells(width)).toBeGreaterThanOrEqual(60);
  });
});
