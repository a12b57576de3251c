import type { ReactElement } from 'react';
import { type Line, span, words } from '../format/line.js';
import { neutralise } from '../format/visible.js';
import { wrapRows } from '../format/wrapped-rows.js';
import { useView } from '../hooks/use-view.js';
import { Lines } from './lines.js';

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
  const lines = text.flatMap((paragraph) => paragraphLines(paragraph, cells, rows));
  return <Lines lines={[[], ...lines].slice(0, rows)} rows={rows} />;
}

function paragraphLines(paragraph: string, cells: number, rows: number): readonly Line[] {
  const wrapped = wrapRows(paragraph, { firstCells: cells, restCells: cells });
  return Array.from({ length: wrapped.count(rows) }, (_, place) => {
    const { start, end } = wrapped.row(place) ?? { start: 0, end: 0 };
    return [words(' '.repeat(MARGIN)), span(neutralise(paragraph.slice(start, end)))];
  });
}
