import type { ReactElement } from 'react';
import { type Line, span, spread, words } from '../format/line.js';
import { neutralise, type Visible } from '../format/visible.js';
import { useView } from '../hooks/use-view.js';
import { bindingsOn } from '../keymap.js';
import type { Connection } from '../state/connection.js';
import type { Screen } from '../state/terminal-state.js';
import { Lines } from './lines.js';

export interface KeyHintsProps {
  screen: Screen['kind'];
  connection: Connection;
  /** Where in the list or text one is. */
  position?: Visible;
}

/** The bottom row: the keys that work here, or why the collector is lost. */
export function KeyHints({ screen, connection, position }: KeyHintsProps): ReactElement {
  const { size } = useView();
  const left = connection.kind === 'lost' ? reasonLine(connection.reason) : hintLine(screen);
  const right: Line = position === undefined ? [] : [words('  '), span(position, 'muted'), words(' ')];
  return <Lines lines={[spread(left, right, size.columns)]} />;
}

function hintLine(screen: Screen['kind']): Line {
  return bindingsOn(screen).flatMap(({ label, hint }) =>
    hint === undefined ? [] : [words(` ${label.split(' ')[0]}`, 'label'), words(` ${hint} `, 'muted')],
  );
}

function reasonLine(reason: string): Line {
  return [words(' '), span(neutralise(reason), 'error')];
}
