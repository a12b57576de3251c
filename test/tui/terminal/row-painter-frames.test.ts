import fc from 'fast-check';
import { RowPainter } from '../../../tui/terminal/row-painter.js';
import { createTestTerminal, type TestTerminal } from '../../helpers/terminal.js';

/** The parts of a frame: a window on a long list between a head and a foot, and unrelated rows. */
interface Step {
  readonly first: number;
  readonly selected: number;
  readonly foot: string;
  readonly changed: readonly (readonly [number, string])[];
  readonly size?: readonly [number, number] | undefined;
}

const TEXTS = [
  'plain',
  '漢字 wide',
  'e\u0301 mark',
  '👍 emoji',
  '',
  '\u001b[31mred\u001b[0m',
  '\u001b[1;44mbar\u001b[0m',
  '\u001b[7mopen',
  'long '.repeat(20),
];

const step: fc.Arbitrary<Step> = fc.record({
  // Usually near each other, as in scrolling.
  first: fc.oneof(fc.nat(6), fc.nat(200)),
  selected: fc.nat(30),
  foot: fc.constantFrom('1/99', '2/99', ''),
  changed: fc.array(fc.tuple(fc.nat(12), fc.constantFrom(...TEXTS)), { maxLength: 3 }),
  size: fc.option(fc.tuple(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 12 })), {
    nil: undefined,
    freq: 8,
  }),
});

function frameOf({ first, selected, foot, changed }: Step, height: number): string[] {
  const list = Array.from({ length: Math.max(0, height - 2) }, (_, index) => {
    const number = first + index;
    const row = `${index === selected ? '›' : ' '} ${TEXTS[number % TEXTS.length]} ${number}`;
    return index === selected ? `\u001b[7m${row}\u001b[0m` : row;
  });
  const frame = ['\u001b[1mhead\u001b[0m', ...list, foot];
  for (const [index, text] of changed) frame[index] = text;
  return frame;
}

/** Everything visible: the character of each cell, its width, colours and styles. */
function cellsOf({ output }: TestTerminal): string[] {
  const buffer = output.screen.buffer.active;
  return Array.from({ length: output.screen.rows }, (_, index) => {
    const line = buffer.getLine(buffer.viewportY + index);
    return Array.from({ length: output.screen.cols }, (_, column) => {
      const cell = line?.getCell(column);
      const style = [cell?.getFgColor(), cell?.getBgColor(), cell?.isBold(), cell?.isInverse()].join();
      return `${cell?.getChars() || ' '}${cell?.getWidth()}${style}`;
    }).join('|');
  });
}

describe('a terminal that was painted frame after frame', () => {
  it('equals a terminal on which only the last frame was painted, after any frames', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
        const terminal = createTestTerminal(40, 10);
        const painter = new RowPainter(terminal.output);
        let frame: string[] = [];
        for (const one of steps) {
          if (one.size !== undefined) {
            terminal.resize(...one.size);
            painter.invalidate();
          }
          frame = frameOf(one, terminal.output.rows);
          painter.show(frame);
          await terminal.settled();
        }
        const whole = createTestTerminal(terminal.output.columns, terminal.output.rows);
        new RowPainter(whole.output).show(frame);
        await whole.settled();
        expect(cellsOf(terminal)).toEqual(cellsOf(whole));
      }),
    );
  });

  it('writes few bytes for a list that was scrolled by a line', async () => {
    const terminal = createTestTerminal(120, 40);
    const painter = new RowPainter(terminal.output);
    const frameFrom = async (first: number): Promise<number> => {
      const before = terminal.written().length;
      const rows = Array.from({ length: 38 }, (_, index) => `issue ${first + index} `.padEnd(119, '.'));
      painter.show(['head', ...rows, `${first}/999`]);
      await terminal.settled();
      return terminal.written().length - before;
    };
    expect(await frameFrom(1)).toBeGreaterThan(4_000);
    expect(await frameFrom(2)).toBeLessThan(250);
    expect(await frameFrom(1)).toBeLessThan(250);
    expect(await frameFrom(4)).toBeLessThan(500);
  });
});
