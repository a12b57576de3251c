import fc from 'fast-check';
import { detailView } from '../../../tui/format/event/detail-view.js';
import { createPager, PAGER_START, type Pager, type PagerPosition, type PagerView } from '../../../tui/state/pager.js';
import { neutralise } from '../../../tui/text/visible.js';
import { sampleEvent } from '../array-reader.js';

const VIEW: PagerView = { columns: 80, rows: 22 };
const pagerOf = (text: string): Pager => createPager([{ kind: 'json', text, labelCells: 0 }]);
const texts = (pager: Pager, position: PagerPosition, view = VIEW): string[] =>
  pager.visibleRows(position, view).map(({ source }) => neutralise(source).trim());

describe('a pager', () => {
  it('shows the lines of a text that fits, and stays at its start', () => {
    const pager = pagerOf('one\ntwo\nthree');
    expect(texts(pager, PAGER_START)).toEqual(['one', 'two', 'three']);
    for (const rows of [1, -1, 100]) expect(pager.move(PAGER_START, rows, VIEW)).toEqual(PAGER_START);
    expect(pager.end(VIEW)).toEqual(PAGER_START);
  });

  it('moves by rows, also within one long line, and keeps the window full at the end', () => {
    const pager = pagerOf(`first\n${'0123456789'.repeat(100)}\nlast`);
    const view = { columns: 14, rows: 4 };
    const third = pager.move(PAGER_START, 2, view);
    expect(third).toEqual({ line: 1, row: 1 });
    expect(pager.move(third, -2, view)).toEqual(PAGER_START);
    expect(texts(pager, pager.end(view), view).at(-1)).toBe('last');
    expect(pager.move(PAGER_START, 10_000, view)).toEqual(pager.end(view));
    expect(pager.visibleRows(pager.end(view), view)).toHaveLength(4);
  });

  it('shows every row once, from either end', () => {
    const line = fc.oneof(fc.string({ unit: 'binary', maxLength: 120 }), fc.constantFrom('', '漢'.repeat(50)));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 12 }), (lines) => {
        const pager = pagerOf(lines.map((text) => text.replaceAll('\n', '')).join('\n'));
        const view = { columns: 20, rows: 3 };
        const all = texts(pager, PAGER_START, { columns: 20, rows: 10_000 });
        const down: string[] = [];
        for (let at = PAGER_START; ; ) {
          down.push(texts(pager, at, view)[0] ?? '');
          const next = pager.move(at, 1, view);
          if (next.line === at.line && next.row === at.row) break;
          at = next;
        }
        const up: string[] = [];
        for (let at = pager.end(view); ; ) {
          up.unshift(texts(pager, at, view)[0] ?? '');
          const next = pager.move(at, -1, view);
          if (next.line === at.line && next.row === at.row) break;
          at = next;
        }
        expect(down).toEqual(all.slice(0, down.length));
        expect(up).toEqual(down);
        expect(down).toHaveLength(Math.max(1, all.length - view.rows + 1));
      }),
    );
  });

  it('stays at the same words if the width changes', () => {
    const pager = pagerOf(`${'a'.repeat(1_000)}HERE${'b'.repeat(1_000)}\n${'c\n'.repeat(50)}`);
    const narrow = { columns: 50, rows: 5 };
    const wide = { columns: 190, rows: 20 };
    let at = PAGER_START;
    while (!(texts(pager, at, narrow)[0] ?? '').includes('HERE')) at = pager.move(at, 1, narrow);
    expect(texts(pager, pager.reflow(at, narrow, wide), wide)[0]).toContain('HERE');
    expect(texts(pager, pager.reflow(pager.reflow(at, narrow, wide), wide, narrow), narrow).join('')).toContain('a');
  });

  it('indents further rows of a value to the start of the value', () => {
    const pager = createPager(detailView(sampleEvent(1, 1, { message: 'word '.repeat(40) })));
    const rows = pager.visibleRows(PAGER_START, VIEW).map(({ source, margin }) => ' '.repeat(margin) + source);
    const first = rows.findIndex((row) => row.startsWith('Message      word'));
    expect(rows[first + 1]).toMatch(/^ {13}\S/);
  });

  it('opens and scrolls an event with a megabyte of message and ten thousand tags', () => {
    const tags = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key${index}`, 'v']));
    for (const message of [
      'x'.repeat(1_000_000),
      '漢'.repeat(333_333),
      '\u001b'.repeat(1_000_000),
      '\n'.repeat(100_000),
    ]) {
      const pager = createPager(detailView(sampleEvent(1, 1, { message, tags })));
      const end = pager.end(VIEW);
      expect(texts(pager, end).at(-1)).toBe('Back to Issue');
      expect(texts(pager, pager.move(PAGER_START, 300, VIEW))).toHaveLength(VIEW.rows);
      expect(texts(pager, pager.move(end, -300, VIEW))).toHaveLength(VIEW.rows);
    }
  });
});
