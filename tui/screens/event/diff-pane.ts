import { type EventId, toEventId } from '../../../core/event/ids.js';
import { diffView } from '../../format/event/diff-view.js';
import { diffEvents } from '../../format/event/event-diff.js';
import { openMenu } from '../../overlays/menu.js';
import { openPrompt } from '../../overlays/prompt.js';
import { type DiffChoice, type DiffState, type EventScreen, INITIAL_DIFF, openEvent } from '../../state/event-state.js';
import { isMove, moveIndex } from '../../state/moves.js';
import type { MenuItem } from '../../state/overlay.js';
import { pushScreen, type TerminalState, topScreen, withNotice, withTop } from '../../state/terminal-state.js';
import type { Command } from '../../terminal/keymap.js';
import { clockTime } from '../../text/time-words.js';
import { paneRows, topFor } from './event-layout.js';
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
      return pushScreen(state, (key) => openEvent(key, { eventId: other.event_id, issueId: other.issue_id }));
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
  const otherId = eventOf(state, screen, screen.diff.choice);
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

/** Opens the menu of events to compare with. */
export function openDiffMenu(state: TerminalState, screen: EventScreen): TerminalState {
  const items = CHOICES.flatMap(({ choice, key, label }): MenuItem<TerminalState>[] => {
    const id = eventOf(state, screen, choice, false);
    const row = listBelow(state)?.list.rows.find((one) => one.event_id === id);
    if (id === undefined || row === undefined) return [];
    const detail = `${clockTime(row.timestamp, 'full', state.habits.time)}  ${row.message}`;
    return [{ key, label, detail, run: (now) => compareWith(now, choice) }];
  });
  const byId: MenuItem<TerminalState> = { key: 'i', label: 'another event…', run: openIdPrompt };
  return { ...state, overlay: openMenu('Compare with', [...items, byId]) };
}

/** Names the other event; the first event of an issue is compared with the next one. */
export function otherLabel({ eventId, diff: { choice, otherId } }: EventScreen): string {
  if (typeof choice === 'object') return 'chosen event';
  if (choice === 'first') return 'first event';
  // Ids ascend by time of receipt.
  return otherId !== undefined && otherId > eventId ? 'next event' : 'previous event';
}

const CHOICES = [
  { choice: 'earlier', key: 'e', label: 'the previous event' },
  { choice: 'later', key: 'l', label: 'the next event' },
  { choice: 'first', key: 'f', label: 'the first event' },
] as const;

function compareWith(state: TerminalState, choice: DiffChoice): TerminalState {
  const screen = topScreen(state);
  if (screen.kind !== 'event') return state;
  const { isWhole } = screen.diff;
  const cleared: DiffState = { ...INITIAL_DIFF, choice, isWhole };
  return withTop(state, withOtherId(state, { ...screen, pane: 'diff', hit: undefined, diff: cleared }));
}

function openIdPrompt(state: TerminalState): TerminalState {
  const spec = {
    label: 'event id: ',
    check: (text: string) =>
      toEventId(text) === undefined ? { reason: 'Enter an event id, a UUID.', column: undefined } : undefined,
    accept: (now: TerminalState, text: string) => {
      const id = toEventId(text);
      return id === undefined ? withNotice(now, 'Enter an event id, a UUID.', 'error') : compareWith(now, { id });
    },
  };
  return { ...state, overlay: openPrompt(spec) };
}

/** The id of a choice in the list below, newest first. With `mayTurn` the next event replaces a missing previous one, and vice versa. */
function eventOf(
  state: TerminalState,
  { eventId }: EventScreen,
  choice: DiffChoice,
  mayTurn = true,
): EventId | undefined {
  if (typeof choice === 'object') return choice.id;
  const below = listBelow(state);
  if (below === undefined) return undefined;
  const { rows } = below.list;
  const index = rowOfEvent(below, eventId);
  const later = rows[index - 1]?.event_id;
  const earlier = index < 0 ? undefined : rows[index + 1]?.event_id;
  const other = {
    earlier: earlier ?? (mayTurn ? later : undefined),
    later: later ?? (mayTurn ? earlier : undefined),
    first: rows.at(-1)?.event_id,
  };
  const found = other[choice];
  return found === eventId ? undefined : found;
}
