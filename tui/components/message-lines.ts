import { type Line, span, words, wrapLine } from '../text/line.js';
import { cutToCells } from '../text/visible.js';

const MARGIN = 2;

/** Paragraphs, which may be text from outside, in place of an empty list or pane of `rows` rows. */
export function messageLines(text: readonly string[], columns: number, rows: number): Line[] {
  const cells = columns - MARGIN - 1;
  const lines = text.flatMap((paragraph) => {
    const shown = cutToCells(paragraph, cells * rows);
    return wrapLine([span(shown)], cells).map((line): Line => [words(' '.repeat(MARGIN)), ...line]);
  });
  return [[], ...lines].slice(0, rows);
}
