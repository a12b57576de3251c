import type { ReactElement } from 'react';
import { words } from '../format/line.js';
import { sheetRows } from '../overlays/sheet.js';
import type { Sheet } from '../state/overlay.js';
import type { TerminalState } from '../state/terminal-state.js';
import { Lines } from './lines.js';
import { TitleBar } from './title-bar.js';

/** A text over the whole screen. */
export function SheetView({ sheet, state }: { sheet: Sheet; state: TerminalState }): ReactElement {
  const rows = sheetRows(state);
  const more = sheet.lines.length > sheet.top + rows ? [words(' ↓', 'label'), words(' more ', 'muted')] : [];
  const before = sheet.top > 0 ? [words(' ↑', 'label'), words(' up ', 'muted')] : [];
  return (
    <>
      <TitleBar place={sheet.title} state={state} />
      <Lines lines={sheet.lines.slice(sheet.top, sheet.top + rows)} rows={rows} />
      <Lines lines={[[words(' Esc', 'label'), words(' back ', 'muted'), ...more, ...before]]} />
    </>
  );
}
