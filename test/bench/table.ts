import type { Row } from './row.js';

const figure = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);

/** Formats the rows as a Markdown table; the arrow of a ratio points to better. */
export function printTable(rows: readonly Row[]): string {
  const cells = rows.map((one) => [
    one.name,
    figure(one.ours),
    one.beside,
    figure(one.theirs),
    `${one.ratio.toPrecision(3)} ${one.better === 'higher' ? '↑' : '↓'}`,
    barText(one),
    one.met === null ? '' : one.met ? 'yes' : '**no**',
  ]);
  return printLines([
    ['row', 'Faultline', 'beside', 'its figure', 'ratio', 'bar', 'met'],
    ['---', '---:', '---', '---:', '---:', '---', '---'],
    ...cells,
  ]);
}

/** Formats the rows as a Markdown table without their bars. */
export function printHeadlines(rows: readonly Row[]): string {
  return printLines([
    ['', 'Faultline', 'beside', 'its figure'],
    ['---', '---:', '---', '---:'],
    ...rows.map(({ name, ours, beside, theirs }) => [name, figure(ours), beside, figure(theirs)]),
  ]);
}

function printLines(lines: readonly (readonly string[])[]): string {
  return `${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
}

function barText({ bar, better }: Row): string {
  if (bar === null) return '';
  const sign = better === 'higher' ? '≥' : '≤';
  return `${bar.of} ${sign} ${bar.value.toLocaleString('en')}`;
}
