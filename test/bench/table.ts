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
  const table = [
    ['row', 'Faultline', 'beside', 'its figure', 'ratio', 'bar', 'met'],
    ['---', '---:', '---', '---:', '---:', '---', '---'],
    ...cells,
  ];
  return `${table.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n`;
}

function barText({ bar, better }: Row): string {
  if (bar === null) return '';
  const sign = better === 'higher' ? '≥' : '≤';
  return `${bar.of} ${sign} ${bar.value.toLocaleString('en')}`;
}
