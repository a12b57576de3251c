import type { ExplainedLine, Tone } from '../../core/explain/explained-line.js';

const STYLES: Readonly<Record<Tone, string>> = { plain: '', strong: '1', muted: '2', label: '36', good: '32' };

/** Formats lines as text, in colour on a terminal unless `NO_COLOR` is set (https://no-color.org). Trailing blanks are removed. */
export function paintLines(
  lines: readonly ExplainedLine[],
  output: { readonly isTTY?: boolean | undefined },
  env: Readonly<Record<string, string | undefined>>,
): string {
  const isColoured = output.isTTY === true && (env['NO_COLOR'] ?? '') === '';
  return lines
    .map((line) => line.map(({ text, tone }) => (isColoured ? styled(text, STYLES[tone]) : text)).join(''))
    .map((text) => `${text.trimEnd()}\n`)
    .join('');
}

/** A count with its noun, in the plural unless it is 1. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

function styled(text: string, style: string): string {
  return style === '' || text.trim() === '' ? text : `\u001b[${style}m${text}\u001b[0m`;
}
