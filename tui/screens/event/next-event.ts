import { type EventScreen, withOtherEvent } from '../../state/event-state.js';
import {
  type StateRead,
  type TerminalState,
  topScreen,
  withNotice,
  withScreen,
  withTop,
} from '../../state/terminal-state.js';
import { withOtherId } from './diff-pane.js';
import { type EventListScreen, listBelow, readsOfMore, rowOfEvent } from './list-below.js';

/** Rows before the end of the loaded list at which the next page is read. */
const READ_AHEAD = 10;

/** Shows the next or previous event of the list below. */
export function step(state: TerminalState, screen: EventScreen, direction: 'next' | 'previous'): TerminalState {
  const below = listBelow(state);
  if (below === undefined) return withNotice(state, 'No next event: it was opened by its id.');
  const index = rowOfEvent(below, screen.eventId);
  if (index < 0) return withNotice(state, 'The event is not in the loaded list.');
  const { rows, nextCursor } = below.list;
  const row = rows[direction === 'next' ? index + 1 : index - 1];
  if (row !== undefined) {
    const moved = withScreen(state, below.key, (one) =>
      one.kind === 'issue' || one.kind === 'events'
        ? { ...one, list: { ...one.list, selectedId: row.event_id, isTouched: true } }
        : one,
    );
    const shown = withOtherEvent(screen, row);
    return withTop(moved, shown.pane === 'diff' ? withOtherId(moved, shown) : shown);
  }
  if (direction === 'previous') return withNotice(withoutStep(state, screen), 'First event.');
  if (nextCursor === null) return withNotice(withoutStep(state, screen), 'Last event.');
  return withNotice(withTop(state, { ...screen, step: 'next' }), 'Loading more events…');
}

/** Reads the next page of the list below near its end, then runs the step that waits for it. */
export function readsForStep(state: TerminalState, screen: EventScreen): readonly StateRead[] {
  const below = listBelow(state);
  if (below === undefined || !isMoreWanted(below, screen)) return [];
  return readsOfMore(state, below).map((read) => ({
    ...read,
    perform: async (reader) => {
      const change = await read.perform(reader);
      return (now) => stepped(change(now), screen.key);
    },
  }));
}

/** A list that was never visible is read once, another one near its loaded end. */
function isMoreWanted(below: EventListScreen, { eventId }: EventScreen): boolean {
  const { rows, nextCursor } = below.list;
  if (rows.length === 0) return below.reading === 'loading';
  const index = rowOfEvent(below, eventId);
  return nextCursor !== null && index >= 0 && index + READ_AHEAD >= rows.length;
}

/** Runs what waited for the list, a step or a comparison, if its screen is still visible. */
function stepped(state: TerminalState, key: number): TerminalState {
  const screen = topScreen(state);
  if (screen.kind !== 'event' || screen.key !== key) return state;
  if (screen.step === undefined) return screen.pane === 'diff' ? withTop(state, withOtherId(state, screen)) : state;
  const after = step(state, screen, screen.step);
  const shown = topScreen(after);
  const isDone = shown.kind === 'event' && shown.eventId !== screen.eventId;
  return isDone ? { ...after, notice: undefined } : after;
}

function withoutStep(state: TerminalState, screen: EventScreen): TerminalState {
  return screen.step === undefined ? state : withTop(state, { ...screen, step: undefined });
}
