import type { DetailBlockKind } from '../../format/event/detail-view.js';
import type { EventScreen } from '../../state/event-state.js';
import type { PagerHit, PagerRow } from '../../state/pager.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { toNeedle } from '../../text/find-text.js';
import { labelled, type MarkedRange, markedRow } from '../../text/highlight.js';
import { type Line, type Meaning, words } from '../../text/line.js';
import { detailWindow } from './event-layout.js';

const PART_MEANINGS: Readonly<Record<DetailBlockKind, Meaning>> = {
  heading: 'heading',
  section: 'heading',
  pairs: 'plain',
  json: 'plain',
  file: 'label',
  link: 'selected',
  gap: 'plain',
};

/** The visible rows of the detail view, with matches highlighted. */
export function detailLines(state: TerminalState, screen: EventScreen): readonly Line[] {
  const { pager, position, search, hit } = screen;
  if (pager === undefined) return [];
  const rows = pager.visibleRows(position, detailWindow(state));
  const needle = toNeedle(search);
  if (needle === undefined) return rows.map((row) => rowLine(row, []));
  const hits = pager.find(needle);
  const current = hit === undefined ? undefined : hits[hit];
  const [first, last] = [rows[0]?.line ?? 0, rows.at(-1)?.line ?? 0];
  const near = hits.slice(
    firstIndex(hits, (one) => one.line >= first),
    firstIndex(hits, (one) => one.line > last),
  );
  return rows.map((row) => {
    const ranges = near
      .filter(({ line }) => line === row.line)
      .map((one): MarkedRange => {
        const start = one.offset - row.start;
        return { start, end: start + needle.text.length, meaning: one === current ? 'selected' : 'match' };
      });
    return rowLine(row, ranges);
  });
}

function rowLine({ source, part, labelCells, margin }: PagerRow, ranges: readonly MarkedRange[]): Line {
  const row = markedRow(source, PART_MEANINGS[part], ranges);
  return labelled(margin === 0 ? row : [words(' '.repeat(margin)), ...row], labelCells, 'label');
}

/** Binary search: index of the first hit that fits, or the length. */
function firstIndex(hits: readonly PagerHit[], fits: (hit: PagerHit) => boolean): number {
  let low = 0;
  let high = hits.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const hit = hits[middle];
    if (hit !== undefined && fits(hit)) high = middle;
    else low = middle + 1;
  }
  return low;
}
