import type { DetailBlockKind } from '../../format/event/detail-view.js';
import type { EventScreen } from '../../state/event-state.js';
import type { PagerHit, PagerRow } from '../../state/pager.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { toNeedle } from '../../text/find-text.js';
import { labelled, type MarkedRange, markedRow } from '../../text/highlight.js';
import { type Line, levelMeaning, type Meaning, words } from '../../text/line.js';
import { detailWindow, MARGIN_CELLS } from './event-layout.js';

const PART_MEANINGS: Readonly<Record<DetailBlockKind, Meaning>> = {
  heading: 'heading',
  section: 'heading',
  pairs: 'plain',
  json: 'plain',
  file: 'label',
  link: 'selected',
  gap: 'plain',
};

/** Lines in which the table of the event ends: a tag may be called Level too. */
const SUMMARY_END = 12;

/** The visible rows of the detail view, with matches highlighted. */
export function detailLines(state: TerminalState, screen: EventScreen): readonly Line[] {
  const { pager, position, search, hit } = screen;
  if (pager === undefined) return [];
  const rows = pager.visibleRows(position, detailWindow(state));
  const needle = toNeedle(search);
  if (needle === undefined) return rows.map((row) => rowLine(row, levelRange(row)));
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
    return rowLine(row, ranges.length === 0 ? levelRange(row) : ranges);
  });
}

const LEVEL_LABEL = /^Level +/;

/** The value of the level, in its colour. */
function levelRange({ part, source, line }: PagerRow): MarkedRange[] {
  const start = part === 'pairs' && line < SUMMARY_END ? (LEVEL_LABEL.exec(source)?.[0].length ?? 0) : 0;
  return start === 0 ? [] : [{ start, end: source.length, meaning: levelMeaning(source.slice(start)) }];
}

function rowLine({ source, part, labelCells, margin }: PagerRow, ranges: readonly MarkedRange[]): Line {
  const row = markedRow(source, PART_MEANINGS[part], ranges);
  const value = labelled(margin === 0 ? row : [words(' '.repeat(margin)), ...row], labelCells, 'label');
  // The link at the end is where the cursor is.
  return [words(part === 'link' ? '› ' : ' '.repeat(MARGIN_CELLS), part === 'link' ? 'selected' : 'plain'), ...value];
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
