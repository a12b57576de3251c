import type { ReactElement } from 'react';
import { type Line, span, words } from '../text/line.js';
import { cutToCells } from '../text/visible.js';
import { wrapLine } from '../text/wrapped-line.js';
import { Lines } from './lines.js';
import { useView } from './use-view.js';

export interface MessageProps {
  /** Paragraphs; may hold text from outside. */
  text: readonly string[];
  /** Rows of the body that it fills. */
  rows: number;
}

const MARGIN = 2;

/** What stands in the place of a list or text that is not there. */
export function Message({ text, rows }: MessageProps): ReactElement {
  const { size } = useView();
  const cells = size.columns - 2 * MARGIN;
  const lines = text.flatMap((paragraph) => {
    const shown = cutToCells(paragraph, cells * rows);
    return wrapLine([span(shown)], cells).map((line): Line => [words(' '.repeat(MARGIN)), ...line]);
  });
  return <Lines lines={[[], ...lines].slice(0, rows)} rows={rows} />;
}
