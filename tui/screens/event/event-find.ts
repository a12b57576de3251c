import { openPrompt } from '../../overlays/prompt.js';
import type { EventScreen } from '../../state/event-state.js';
import type { PagerHit } from '../../state/pager.js';
import { type TerminalState, topScreen, withNotice, withTop } from '../../state/terminal-state.js';
import { findOffsets, type Needle, toNeedle } from '../../text/find-text.js';
import { atDetailHit, unfoldedFor } from './detail-pane.js';
import { withDiffCursor } from './diff-pane.js';
import { revealed, rowsOfStack, stackCursor } from './stack-pane.js';

/** The matches in the visible pane. */
interface PaneHits {
  readonly count: number;
  /** Index of the first match at or after the cursor; the count if all are before it. */
  readonly here: number;
  /** The screen with the cursor at a match. */
  show(index: number): EventScreen;
}

/** Opens the search prompt; an empty text ends the search. */
export function openFindPrompt(state: TerminalState, { search }: EventScreen): TerminalState {
  const spec = {
    label: 'find: ',
    history: search === '' ? [] : [search],
    accept: (now: TerminalState, text: string) => {
      const screen = topScreen(now);
      return screen.kind === 'event' ? findFirst(now, { ...screen, search: text, hit: undefined }) : now;
    },
  };
  return { ...state, overlay: openPrompt(spec) };
}

/** Goes to the next or previous match, around the end. */
export function findAgain(state: TerminalState, screen: EventScreen, step: 1 | -1): TerminalState {
  const needle = toNeedle(screen.search);
  if (needle === undefined) return withNotice(state, 'Nothing to find yet: press /.');
  const hits = hitsOf(state, screen, needle);
  if (hits === undefined || hits.count === 0) return withNotice(state, `Not found: ${screen.search}`);
  const from = screen.hit ?? (step > 0 ? hits.here - 1 : hits.here);
  const index = (from + step + hits.count) % hits.count;
  return withTop(state, { ...hits.show(index), hit: index });
}

/** The number of matches and the one-based current one; undefined without a search. */
export function foundIn(
  state: TerminalState,
  screen: EventScreen,
): { count: number; at: number | undefined } | undefined {
  const needle = toNeedle(screen.search);
  if (needle === undefined) return undefined;
  const count = hitsOf(state, screen, needle)?.count ?? 0;
  return { count, at: screen.hit === undefined ? undefined : screen.hit + 1 };
}

function findFirst(state: TerminalState, screen: EventScreen): TerminalState {
  const needle = toNeedle(screen.search);
  if (needle === undefined) return withTop(state, screen);
  const open = screen.pane === 'detail' ? unfoldedFor(state, screen, needle) : screen;
  return findAgain(withTop(state, open), open, 1);
}

function hitsOf(state: TerminalState, screen: EventScreen, needle: Needle): PaneHits | undefined {
  const { pane } = screen;
  if (pane === 'detail') return hitsInDetail(state, screen, needle);
  if (pane === 'related') return undefined;
  return pane === 'stack' ? hitsInStack(state, screen, needle) : hitsInDiff(state, screen, needle);
}

function hitsInDetail(state: TerminalState, screen: EventScreen, needle: Needle): PaneHits | undefined {
  const hits = screen.pager?.find(needle);
  const isAtOrAfter = ({ line }: PagerHit) => line >= screen.position.line;
  return hits && paneHits(screen, hits, isAtOrAfter, (hit) => atDetailHit(state, screen, hit));
}

function hitsInStack(state: TerminalState, screen: EventScreen, needle: Needle): PaneHits {
  const all = rowsOfStack(state, screen, true);
  const visible = rowsOfStack(state, screen);
  const cursorId = visible[stackCursor(visible, screen.stack)]?.id;
  const cursor = all.findIndex(({ id }) => id === cursorId);
  const hits = [...all.entries()].filter(([, { text }]) => findOffsets(text, needle, 1).length > 0);
  const isAtOrAfter = ([index]: (typeof hits)[number]) => index >= cursor;
  return paneHits(screen, hits, isAtOrAfter, ([, row]) => revealed(state, screen, row));
}

function hitsInDiff(state: TerminalState, screen: EventScreen, needle: Needle): PaneHits {
  const { rows, cursor } = screen.diff;
  const hits = [...rows.keys()].filter((row) => findOffsets(rows[row]?.parts.join('') ?? '', needle, 1).length > 0);
  return paneHits(
    screen,
    hits,
    (row) => row >= cursor,
    (row) => withDiffCursor(state, screen, row),
  );
}

function paneHits<Hit>(
  screen: EventScreen,
  hits: readonly Hit[],
  isAtOrAfter: (hit: Hit) => boolean,
  show: (hit: Hit) => EventScreen,
): PaneHits {
  const next = hits.findIndex(isAtOrAfter);
  return {
    count: hits.length,
    here: next < 0 ? hits.length : next,
    show: (index) => {
      const hit = hits[index];
      return hit === undefined ? screen : show(hit);
    },
  };
}
