import type { EventId } from '../../../core/event/ids.js';
import { diffView } from '../../format/event/diff-view.js';
import { diffEvents } from '../../format/event/event-diff.js';
import { openMenu } from '../../overlays/menu.js';
import { type EventScreen, INITIAL_DIFF, openEvent } from '../../state/event-state.js';
import { topFor } from '../../state/list-selection.js';
import { isMove, moveIndex } from '../../state/moves.js';
import { pushScreen, type TerminalState, topScreen, withNotice, withTop } from '../../state/terminal-state.js';
import type { Command } from '../../terminal/keymap.js';
import { clockTime } from '../../text/time-words.js';
import { paneRows } from './event-layout.js';
import { listBelow, rowOfEvent } from './list-below.js';

/** Runs a command in the comparison; undefined if it means nothing there. */
export function runInDiff(state: TerminalState, screen: EventScreen, command: Command): TerminalState | undefined {
  const { diff } = screen;
  if (isMove(command)) {
    const cursor = moveIndex(diff.cursor, command, {
      last: Math.max(0, diff.rows.length - 1),
      rows: paneRows(state, 'diff'),
    });
    return withTop(state, withDiffCursor(state, { ...screen, hit: undefined }, cursor));
  }
  switch (command) {
    case 'open': {
      const { other } = diff;
      if (other === undefined) return state;
      return pushScreen(state, (key) => openEvent(key, other));
    }
    case 'unfold_all':
      return withTop(state, withDiffCursor(state, withRows(screen, !diff.isWhole), 0));
    default:
      return undefined;
  }
}

/** Moves the cursor of the comparison and keeps it visible. */
export function withDiffCursor(state: TerminalState, screen: EventScreen, cursor: number): EventScreen {
  const count = screen.diff.rows.length;
  const clamped = Math.max(0, Math.min(cursor, count - 1));
  const top = topFor(screen.diff.top, clamped, { count, rows: paneRows(state, 'diff') });
  return { ...screen, diff: { ...screen.diff, cursor: clamped, top } };
}

/** Sets the id of the other event once the list below contains it; the default is the previous event. */
export function withOtherId(state: TerminalState, screen: EventScreen): EventScreen {
  if (screen.diff.otherId !== undefined) return screen;
  const otherId = neighbourOf(state, screen);
  return otherId === undefined ? screen : { ...screen, diff: { ...screen.diff, otherId } };
}

/** Compares the events if both are loaded. */
export function withDiff(screen: EventScreen): EventScreen {
  const { event, diff } = screen;
  if (event === undefined || diff.other === undefined || diff.diff !== undefined) return screen;
  const made = diffEvents({ ...diff.other.normalized }, { ...event.normalized });
  return withRows({ ...screen, diff: { ...diff, diff: made } }, diff.isWhole);
}

/** Computes the rows once, not for every key. */
function withRows(screen: EventScreen, isWhole: boolean): EventScreen {
  const { diff } = screen.diff;
  const rows = diff === undefined ? [] : diffView(diff, isWhole);
  return { ...screen, diff: { ...screen.diff, isWhole, rows } };
}

/** Opens the menu of the other events in the list below; the previous one is selected. */
export function openDiffMenu(state: TerminalState, { eventId }: EventScreen): TerminalState {
  const below = listBelow(state);
  const rows = below?.list.rows.filter(({ event_id }) => event_id !== eventId) ?? [];
  if (below === undefined || rows.length === 0) return withNotice(state, 'No other event to compare with.');
  const items = rows.map(({ event_id, timestamp, message }) => ({
    label: clockTime(timestamp, 'full', state.habits.time),
    detail: message,
    run: (now: TerminalState) => compareWith(now, event_id),
  }));
  const selected = Math.max(0, Math.min(rowOfEvent(below, eventId), rows.length - 1));
  return { ...state, overlay: { ...openMenu('Compare with', items), selected } };
}

/** Names the other event; the first event of an issue is compared with the next one. */
export function otherLabel(state: TerminalState, screen: EventScreen): string {
  const { otherId } = screen.diff;
  if (otherId !== neighbourOf(state, screen)) return 'chosen event';
  // Ids ascend by time of receipt.
  return otherId !== undefined && otherId > screen.eventId ? 'next event' : 'previous event';
}

function compareWith(state: TerminalState, otherId: EventId): TerminalState {
  const screen = topScreen(state);
  if (screen.kind !== 'event') return state;
  const diff = { ...INITIAL_DIFF, otherId, isWhole: screen.diff.isWhole };
  return withTop(state, { ...screen, pane: 'diff', hit: undefined, diff });
}

/** The previous event in the list below or, without one, the next. */
function neighbourOf(state: TerminalState, { eventId }: EventScreen): EventId | undefined {
  const below = listBelow(state);
  const index = below === undefined ? -1 : rowOfEvent(below, eventId);
  if (below === undefined || index < 0) return undefined;
  const { rows } = below.list;
  return (rows[index + 1] ?? rows[index - 1])?.event_id;
}
