import { fitRow, RowPainter } from '../../../tui/terminal/row-painter.js';
import { createTestTerminal } from '../../helpers/terminal.js';
import { waitFor } from '../../helpers/wait-for.js';

describe('the row painter', () => {
  it('writes only the rows that changed, by position, in a synchronized update', async () => {
    const terminal = createTestTerminal(20, 4);
    const painter = new RowPainter(terminal.output);
    painter.show(['one', 'two', 'three']);
    await terminal.settled();
    const before = terminal.written().length;
    painter.show(['one', 'TWO', 'three']);
    expect(await terminal.settled()).toEqual(['one', 'TWO', 'three', '']);
    expect(terminal.written().slice(before)).toBe('\u001b[?2026h\u001b[2;1H\u001b[KTWO\u001b[?2026l');
  });

  it('writes nothing for an unchanged frame', async () => {
    const terminal = createTestTerminal(20, 4);
    const painter = new RowPainter(terminal.output);
    painter.show(['one']);
    await terminal.settled();
    const before = terminal.written();
    painter.show(['one', '']);
    await terminal.settled();
    expect(terminal.written()).toBe(before);
  });

  it('drops rows below the window, and cuts rows at its edge', async () => {
    const terminal = createTestTerminal(6, 2);
    const painter = new RowPainter(terminal.output);
    painter.show(['0123456789', '漢字漢字', 'third']);
    expect(await terminal.settled()).toEqual(['012345', '漢字漢']);
    expect(terminal.output.screen.buffer.active.baseY).toBe(0);
  });

  it('paints everything again after a resize', async () => {
    const terminal = createTestTerminal(20, 3);
    const painter = new RowPainter(terminal.output);
    painter.show(['one', 'two']);
    await terminal.settled();
    terminal.resize(30, 5);
    painter.repaint();
    expect(await terminal.settled()).toEqual(['one', 'two', '', '', '']);
    expect(terminal.written()).toContain('\u001b[2J');
  });

  it('skips frames while a slow terminal is not ready, and ends with the last one', async () => {
    const terminal = createTestTerminal(20, 3);
    const painter = new RowPainter(terminal.output);
    terminal.output.isStalled = true;
    for (let frame = 0; frame < 1_000; frame += 1) painter.show([`frame ${frame}`]);
    terminal.output.flow();
    await waitFor('the last frame', () => terminal.rows()[0] === 'frame 999');
    expect(terminal.written().match(/\u001b\[\?2026h/g)).toHaveLength(2);
  });

  it('writes nothing while it is paused', async () => {
    const terminal = createTestTerminal(20, 3);
    const painter = new RowPainter(terminal.output);
    painter.pause();
    painter.show(['one']);
    expect(terminal.written()).toBe('');
    painter.repaint();
    expect((await terminal.settled())[0]).toBe('one');
  });
});

describe('a painted row', () => {
  it('keeps its styles, and closes them where it is cut', () => {
    expect(fitRow('\u001b[31mred\u001b[0m plain', 5)).toBe('\u001b[31mred\u001b[0m p\u001b[0m');
    expect(fitRow('\u001b[7m漢字\u001b[0m', 3)).toBe('\u001b[7m漢\u001b[0m');
    expect(fitRow('short', 10)).toBe('short');
  });

  it('drops all other sequences, in case a screen forgot to neutralise', () => {
    expect(fitRow('a\u001b[2Jb\u009b5n\r\n\u202e', 40)).toBe('a␛[2Jb‹U+009B›5n␍␊‹U+202E›');
    expect(fitRow('\u001b[31mx\u001b]52;c;aGk=\u0007\u001b[0m', 40)).toBe('\u001b[31mx␛]52;c;aGk=␇\u001b[0m');
  });
});
