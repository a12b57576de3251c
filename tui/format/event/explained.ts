import type { ExplainedLine } from '../../../core/explain/explained-line.js';
import { type Line, span } from '../../text/line.js';
import { neutralise } from '../../text/visible.js';

/** Neutralises a line of an explanation; its tones are colours of the terminal. */
export function explanationLine(line: ExplainedLine): Line {
  return line.map(({ text, tone }) => span(neutralise(text), tone));
}
