import type { ReactElement } from 'react';
import { type Line, span, words } from '../text/line.js';
import { cutToCells } from '../text/visible.js';
import { wrapLine } from '../text/wrapped-line.js';
import { Lines } from './lines.js';
import { useView } from './use-view.js';

export interface MessageProps {
  /** Paragraphs; may contain text from outside. */
  text: readonly string[];
  /** Height. */
  rows: number;
}

const MARGIN = 2;

/** A text in place of an empty list or pane. */
export function Message({ text, rows }: MessageProps): ReactElement {
  const { size } = useView();
  const cells = size.columns - MARGIN - 1;
  const lines = text.flatMap((paragraph) => {
    const shown = cutToCells(paragraph, cells * rows);
    return wrapLine([span(shown)], cells).map((line): Line => [words(' '.repeat(MARGIN)), ...line]);
  });
  return <Lines lines={[[], ...lines].slice(0, rows)} rows={rows} />;
}
