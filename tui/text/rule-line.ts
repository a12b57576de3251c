import { type Line, span, words } from './line.js';
import { cellsOf, type Visible } from './visible.js';

/** A rule over the whole width with a name at its left and a hint at its right: `── 64175306 ──── p hides ──`. */
export function ruleLine(name: Visible, hint: string, cells: number): Line {
  const right = hint === '' ? '──' : ` ${hint} ──`;
  const between = Math.max(0, cells - cellsOf(name) - right.length - 4);
  return [words('── ', 'muted'), span(name), words(` ${'─'.repeat(between)}${right}`, 'muted')];
}
