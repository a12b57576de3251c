import type { TestTerminal } from '../../helpers/terminal.js';

type Line = NonNullable<ReturnType<TestTerminal['output']['screen']['buffer']['active']['getLine']>>;
type Cell = NonNullable<ReturnType<Line['getCell']>>;

/** The screen as text: its rows, then the styles of their cells. Columns count from 1. */
export function goldenScreen(terminal: TestTerminal, heading: string): string {
  const { screen } = terminal.output;
  const { active } = screen.buffer;
  const styles = Array.from({ length: screen.rows }, (_, row) => {
    const line = active.getLine(active.viewportY + row);
    const runs = line === undefined ? [] : stylesOf(line, screen.cols);
    return runs.length === 0 ? [] : [`${row + 1}: ${runs.join(', ')}`];
  });
  return [heading, ...terminal.rows(), '--- styles by row: cells and look', ...styles.flat(), ''].join('\n');
}

/** Adjacent cells of the same style are one entry. */
function stylesOf(line: Line, cells: number): string[] {
  const runs: { from: number; to: number; look: string }[] = [];
  for (let column = 0; column < cells; column += 1) {
    const cell = line.getCell(column);
    if (cell === undefined) break;
    const look = lookOf(cell);
    const last = runs.at(-1);
    // The second cell of a wide character has no style.
    if (last !== undefined && last.to === column && (last.look === look || cell.getWidth() === 0)) last.to += 1;
    else runs.push({ from: column + 1, to: column + 1, look });
  }
  return runs.filter(({ look }) => look !== '').map(({ from, to, look }) => `${from}-${to} ${look}`);
}

function lookOf(cell: Cell): string {
  return [
    cell.isBold() === 0 ? '' : 'bold',
    cell.isDim() === 0 ? '' : 'dim',
    cell.isItalic() === 0 ? '' : 'italic',
    cell.isUnderline() === 0 ? '' : 'underline',
    cell.isInverse() === 0 ? '' : 'inverse',
    cell.isFgDefault() ? '' : `fg ${cell.getFgColor()}`,
    cell.isBgDefault() ? '' : `bg ${cell.getBgColor()}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}
