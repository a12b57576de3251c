import type { FingerprintBasis } from '../../../core/fingerprint/fingerprint.js';
import { type BelowFrame, decidingKeys, type StackRow, stackRows } from '../../format/event/stack-rows.js';
import type { ShownFrame } from '../../format/event/stack-view.js';
import type { EventScreen, FrameSource, StackState } from '../../state/event-state.js';
import { isMove, moveIndex } from '../../state/moves.js';
import { topFor } from '../../state/paged-list.js';
import { changeScreen, type TerminalState, withEffect, withTop } from '../../state/terminal-state.js';
import type { Command } from '../../terminal/keymap.js';
import { paneRows } from './event-layout.js';
import { listBelow } from './list-below.js';

const NOT_REACHABLE = 'The file is not on this machine.';
const NO_LOCATION = 'This frame has no file and line.';

/** The rows of the stack; with `isWhole` also folded ones. */
export function rowsOfStack(state: TerminalState, screen: EventScreen, isWhole = false): readonly StackRow[] {
  const { event, views, stack, sources } = screen;
  if (event === undefined || views === undefined) return [];
  return stackRows(views.stack, {
    toggled: isWhole ? 'all' : stack.toggled,
    below: (id, frame) => (stack.opened.has(id) ? belowFrame(frame, sources) : undefined),
    deciding: decidingKeys(groupingBasis(state, screen)),
    notes: event.notes,
    hasStack: event.normalized.stack !== null,
    columns: state.size.columns,
  });
}

/** Index of the selected row; initially the innermost in-app frame. */
export function stackCursor(rows: readonly StackRow[], { cursor }: StackState): number {
  const found = cursor === undefined ? -1 : rows.findIndex(({ id }) => id === cursor);
  if (found >= 0) return found;
  // The row was folded away: select the row that contains it.
  const holder = rows.findLastIndex(({ id }) => cursor?.startsWith(id) === true);
  if (holder >= 0) return holder;
  return Math.max(
    0,
    rows.findIndex((row) => row.kind === 'frame' && row.frame.frame.inApp),
  );
}

/** The selected frame and line of its file; undefined on other rows. */
export function selectedFrame(
  state: TerminalState,
  screen: EventScreen,
): { frame: ShownFrame; line: number | undefined } | undefined {
  const rows = rowsOfStack(state, screen);
  const row = rows[stackCursor(rows, screen.stack)];
  if (row?.kind === 'frame') return { frame: row.frame, line: row.frame.location?.line };
  return row?.kind === 'source' ? { frame: row.frame, line: row.line.number } : undefined;
}

/** Whether the selected row can be folded or unfolded. */
export function canToggle(state: TerminalState, screen: EventScreen): boolean {
  const rows = rowsOfStack(state, screen);
  const kind = rows[stackCursor(rows, screen.stack)]?.kind;
  return kind === 'error' || kind === 'library' || kind === 'frame' || kind === 'source';
}

/** Runs a command in the stack; undefined if it means nothing there. */
export function runInStack(state: TerminalState, screen: EventScreen, command: Command): TerminalState | undefined {
  const rows = rowsOfStack(state, screen);
  const index = stackCursor(rows, screen.stack);
  if (isMove(command)) {
    const target = moveIndex(index, command, { last: rows.length - 1, rows: paneRows(state, 'stack') });
    return withTop(state, withStackCursor(state, { ...screen, hit: undefined }, rows[target]?.id));
  }
  if (command === 'toggle') return toggled(state, screen, rows[index]);
  if (command === 'unfold_all') return withTop(state, withAllToggled(state, screen));
  return undefined;
}

function withStackCursor(state: TerminalState, screen: EventScreen, cursor: string | undefined): EventScreen {
  return fitStack(state, { ...screen, stack: { ...screen.stack, cursor } });
}

/** Scrolls the stack to its cursor. */
export function fitStack(state: TerminalState, screen: EventScreen): EventScreen {
  const rows = rowsOfStack(state, screen);
  const cursor = stackCursor(rows, screen.stack);
  const top = topFor(screen.stack.top, cursor, { count: rows.length, rows: paneRows(state, 'stack') });
  return top === screen.stack.top ? screen : { ...screen, stack: { ...screen.stack, top } };
}

/** Selects a row and unfolds everything that hides it. */
export function revealed(state: TerminalState, screen: EventScreen, row: StackRow): EventScreen {
  const missing = (now: EventScreen): string | undefined => {
    const visible = rowsOfStack(state, now);
    return row.inside.find((id) => visible.some((one) => one.id === id && 'isFolded' in one && one.isFolded));
  };
  let now = screen;
  for (let folded = missing(now); folded !== undefined; folded = missing(now)) {
    now = { ...now, stack: { ...now.stack, toggled: toggleId(now.stack.toggled, folded) } };
  }
  return withStackCursor(state, now, row.id);
}

function toggled(state: TerminalState, screen: EventScreen, row: StackRow | undefined): TerminalState {
  const { stack } = screen;
  switch (row?.kind) {
    case 'error':
    case 'library': {
      const changed = { ...stack, cursor: row.id, toggled: toggleId(stack.toggled, row.id) };
      return withTop(state, fitStack(state, { ...screen, stack: changed }));
    }
    case 'frame':
      return openedFrame(state, screen, row.id, row.frame);
    case 'source': {
      const id = row.id.slice(0, row.id.lastIndexOf('s'));
      return openedFrame(state, screen, id, row.frame);
    }
    default:
      return state;
  }
}

function openedFrame(
  state: TerminalState,
  screen: EventScreen,
  id: string,
  { location: place }: ShownFrame,
): TerminalState {
  const opened = toggleId(screen.stack.opened, id);
  const name = place === undefined ? undefined : `${place.path}:${place.line}`;
  const isRead = name === undefined || !opened.has(id) || screen.sources.has(name);
  const sources = isRead ? screen.sources : new Map(screen.sources).set(name, 'loading');
  const changed = fitStack(state, { ...screen, sources, stack: { ...screen.stack, cursor: id, opened } });
  const shown = withTop(state, changed);
  if (isRead || place === undefined) return shown;
  return withEffect(shown, {
    perform: async ({ readSource }) => {
      const found = await readSource(place.path, place.line).catch(() => undefined);
      return changeScreen('event', screen.key, (one, now) =>
        fitStack(now, { ...one, sources: withSource(one, name, found ?? 'missing') }),
      );
    },
  });
}

const MAX_SOURCES = 200;

function withSource({ sources }: EventScreen, name: string, source: FrameSource): ReadonlyMap<string, FrameSource> {
  const cached = sources.size > MAX_SOURCES ? new Map<string, FrameSource>() : new Map(sources);
  return cached.set(name, source);
}

/** Unfolds everything, or folds all errors if nothing is folded. */
function withAllToggled(state: TerminalState, screen: EventScreen): EventScreen {
  const rows = rowsOfStack(state, screen);
  const folded = rows.filter((row) => 'isFolded' in row && row.isFolded).map(({ id }) => id);
  if (folded.length > 0) {
    let { toggled } = screen.stack;
    for (const id of folded) toggled = toggleId(toggled, id);
    const unfolded = { ...screen, stack: { ...screen.stack, toggled } };
    // Unfolded errors contain runs of library frames, which are folded initially.
    const isDone = rowsOfStack(state, unfolded).every((row) => !('isFolded' in row) || !row.isFolded);
    return isDone ? fitStack(state, unfolded) : withAllToggled(state, unfolded);
  }
  const errors = rows.filter(({ kind }) => kind === 'error').map(({ id }) => id);
  const toggled = new Set([...screen.stack.toggled, ...errors]);
  return fitStack(state, { ...screen, stack: { ...screen.stack, toggled } });
}

function belowFrame({ location: place, source }: ShownFrame, sources: EventScreen['sources']): BelowFrame {
  const found = place === undefined ? undefined : sources.get(`${place.path}:${place.line}`);
  if (found === 'loading') return 'Reading the file…';
  if (place === undefined || found === undefined || found === 'missing') {
    return source ?? (place === undefined ? NO_LOCATION : NOT_REACHABLE);
  }
  return found.lines.map((text, offset) => {
    const number = found.firstLine + offset;
    return { number, text, isFrameLine: number === place.line };
  });
}

function groupingBasis(state: TerminalState, { issueId }: EventScreen): FingerprintBasis | undefined {
  const below = listBelow(state);
  return below?.kind === 'issue' && below.issue.issue_id === issueId ? below.detail?.basis : undefined;
}

function toggleId(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const changed = new Set(ids);
  if (!changed.delete(id)) changed.add(id);
  return changed;
}
