import { type Line, words } from './line.js';
import { cellsOf, literal, type Visible } from './visible.js';

/** A rule over the whole width with a name at its left and a hint at its right: `── 64175306 ──── p hides ──`. */
export function ruleLine(name: Visible, hint: string, cells: number): Line {
  const right = hint === '' ? '──' : ` ${hint} ──`;
  const left = `── ${name} `;
  const between = Math.max(0, cells - cellsOf(literal(left)) - right.length);
  return [words(`── ${name} ${'─'.repeat(between)}${right}`, 'muted')];
}
