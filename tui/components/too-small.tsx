import type { ReactElement } from 'react';
import { words } from '../format/line.js';
import { useView } from '../hooks/use-view.js';
import { MIN_WINDOW } from '../state/layout.js';
import { Lines } from './lines.js';

/** What is said instead of a screen when the window has no room for one. */
export function TooSmall(): ReactElement {
  const { size } = useView();
  const { columns, rows } = MIN_WINDOW;
  const lines = [
    [words('Window too small', 'strong')],
    [words(`${size.columns}x${size.rows}, needs ${columns}x${rows}`)],
    [words('q quits')],
  ];
  return <Lines lines={lines.slice(0, size.rows)} />;
}
