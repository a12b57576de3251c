import type { ExplainedLine, Tone } from '../../core/explain/explained-line.js';

/** Where lines for people go. */
export interface PaintedOutput {
  readonly isTTY?: boolean | undefined;
}

const STYLES: Readonly<Record<Tone, string>> = { plain: '', strong: '1', muted: '2', label: '36', good: '32' };

/** Lines as text: in colour on a terminal, unless `NO_COLOR` is set (https://no-color.org); without blanks at their ends. */
export function paintLines(
  lines: readonly ExplainedLine[],
  output: PaintedOutput,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const isColoured = output.isTTY === true && (env['NO_COLOR'] ?? '') === '';
  return lines
    .map((line) =>
      line
        .map(({ text, tone }) => (isColoured ? styled(text, STYLES[tone]) : text))
        .join('')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

function styled(text: string, style: string): string {
  return style === '' || text.trim() === '' ? text : `\u001b[${style}m${text}\u001b[0m`;
}
