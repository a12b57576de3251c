import type { ReactElement } from 'react';
import { KeyHints } from '../components/key-hints.js';
import { Lines } from '../components/lines.js';
import { Message } from '../components/message.js';
import { TitleBar } from '../components/title-bar.js';
import type { DetailPart } from '../format/detail-view.js';
import { type Line, type Meaning, span } from '../format/line.js';
import { ownWords, splitAtCells, type Visible } from '../format/visible.js';
import { textView } from '../route.js';
import type { Pager, PagerRow } from '../state/pager.js';
import type { EventScreen as Event, TerminalState } from '../state/terminal-state.js';

export interface EventScreenProps {
  state: TerminalState;
  screen: Event;
}

const PART_MEANINGS: Readonly<Record<DetailPart, Meaning>> = {
  heading: 'heading',
  section: 'heading',
  pairs: 'plain',
  json: 'plain',
  file: 'label',
  link: 'selected',
  gap: 'plain',
};

/** One event: exactly the detail view of the specification, as far as the window shows it. */
export function EventScreen({ state, screen }: EventScreenProps): ReactElement {
  const { connection } = state;
  const view = textView(state);
  const { pager, position, isGone } = screen;
  const rows = pager?.visibleRows(position, view) ?? [];
  return (
    <>
      <TitleBar place="Issues › Events › Event" connection={connection} />
      {pager === undefined ? (
        <Message
          text={[isGone ? 'The store does not have this event any more: it was older than the retention.' : 'Loading…']}
          rows={view.rows}
        />
      ) : (
        <Lines lines={rows.map(rowLine)} rows={view.rows} />
      )}
      <KeyHints
        screen="event"
        connection={connection}
        position={pager === undefined ? ownWords('') : progress(pager, rows)}
      />
    </>
  );
}

function rowLine({ text, part, labelCells }: PagerRow): Line {
  const [label, rest] = splitAtCells(text, labelCells);
  return [span(label, 'label'), span(rest, PART_MEANINGS[part])];
}

/** How far the window is through the text, by lines. */
function progress(pager: Pager, rows: readonly PagerRow[]): Visible {
  const last = rows.at(-1)?.line ?? 0;
  return ownWords(last >= pager.lineCount - 1 ? 'end' : `${Math.floor((100 * last) / pager.lineCount)}%`);
}
