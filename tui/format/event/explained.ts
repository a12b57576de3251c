import type { ExplainedLine, Tone } from '../../../core/explain/explained-line.js';
import { type Line, type Meaning, span } from '../../text/line.js';
import { neutralise } from '../../text/visible.js';

const MEANINGS: Readonly<Record<Tone, Meaning>> = {
  plain: 'plain',
  strong: 'strong',
  muted: 'muted',
  label: 'label',
  good: 'good',
};

/** Neutralises a line of an explanation and maps its tones to colours. */
export function explanationLine(line: ExplainedLine): Line {
  return line.map(({ text, tone }) => span(neutralise(text), MEANINGS[tone]));
}
