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

/** The comparison after a command; undefined where it means nothing here. */
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

/** The screen with the cursor on a row of the comparison, which is made visible. */
export function withDiffCursor(state: TerminalState, screen: EventScreen, cursor: number): EventScreen {
  const count = screen.diff.rows.length;
  const held = Math.max(0, Math.min(cursor, count - 1));
  const top = topFor(screen.diff.top, held, { count, rows: paneRows(state, 'diff') });
  return { ...screen, diff: { ...screen.diff, cursor: held, top } };
}

/** The screen as soon as it is known with what it is compared: by default with the event before it in time. */
export function withOtherId(state: TerminalState, screen: EventScreen): EventScreen {
  if (screen.diff.otherId !== undefined) return screen;
  const otherId = eventOf(state, screen, screen.diff.choice);
  return otherId === undefined ? screen : { ...screen, diff: { ...screen.diff, otherId } };
}

/** The screen with the comparison made, where both events are read. */
export function withDiff(screen: EventScreen): EventScreen {
  const { event, diff } = screen;
  if (event === undefined || diff.other === undefined || diff.diff !== undefined) return screen;
  const made = diffEvents({ ...diff.other.normalized }, { ...event.normalized });
  return withRows({ ...screen, diff: { ...diff, diff: made } }, diff.isWhole);
}

/** Rows are made once: two long texts are not compared for every key. */
function withRows(screen: EventScreen, isWhole: boolean): EventScreen {
  const { diff } = screen.diff;
  const rows = diff === undefined ? [] : diffView(diff, isWhole);
  return { ...screen, diff: { ...screen.diff, isWhole, rows } };
}

/** Asks with which event the visible one is compared. */
export function openDiffMenu(state: TerminalState, screen: EventScreen): TerminalState {
  const items = CHOICES.flatMap(({ choice, key, label }): MenuItem<TerminalState>[] => {
    const id = eventOf(state, screen, choice, false);
    const row = listBelow(state)?.list.rows.find((one) => one.event_id === id);
    if (id === undefined || row === undefined) return [];
    const detail = `${clockTime(row.timestamp, 'full', state.habits.time)}  ${row.message}`;
    return [{ key, label, detail, run: (now) => compareWith(now, choice) }];
  });
  const byId: MenuItem<TerminalState> = { key: 'i', label: 'An event by its id…', run: openIdPrompt };
  return { ...state, overlay: openMenu('Compare with', [...items, byId]) };
}

/** What the other event is to this one; the first event of an issue is compared with the one after it. */
export function otherWords({ eventId, diff: { choice, otherId } }: EventScreen): string {
  if (typeof choice === 'object') return 'by its id';
  if (choice === 'first') return 'first one known here';
  // Ids ascend in the order of arrival.
  return otherId !== undefined && otherId > eventId ? 'after it in time' : 'before it in time';
}

const CHOICES = [
  { choice: 'earlier', key: 'e', label: 'The event before it in time' },
  { choice: 'later', key: 'l', label: 'The event after it' },
  { choice: 'first', key: 'f', label: 'The first event known here' },
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
    label: 'compare with the event of id: ',
    check: (text: string) =>
      toEventId(text) === undefined
        ? { reason: 'An event id is a UUID, as the detail view has it.', column: undefined }
        : undefined,
    accept: (now: TerminalState, text: string) => {
      const id = toEventId(text);
      return id === undefined ? withNotice(now, 'An event id is a UUID.', 'error') : compareWith(now, { id });
    },
  };
  return { ...state, overlay: openPrompt(spec) };
}

/** The event of a choice in the list below, which has the newest first. The first event has none before it: `mayTurn` takes the one after it. */
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
  const place = rowOfEvent(below, eventId);
  const later = rows[place - 1]?.event_id;
  const earlier = place < 0 ? undefined : rows[place + 1]?.event_id;
  const other = {
    earlier: earlier ?? (mayTurn ? later : undefined),
    later: later ?? (mayTurn ? earlier : undefined),
    first: rows.at(-1)?.event_id,
  };
  const found = other[choice];
  return found === eventId ? undefined : found;
}
