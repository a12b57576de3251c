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

/** Rows before the end of what is loaded at which more is read, so that a held key seldom waits. */
const READ_AHEAD = 10;

/** The state with the next or previous event of the list below visible, or a sentence why there is none. */
export function step(state: TerminalState, screen: EventScreen, direction: 'next' | 'previous'): TerminalState {
  const below = listBelow(state);
  if (below === undefined) return withNotice(state, 'There is no list of events below this one.');
  const place = rowOfEvent(below, screen.eventId);
  if (place < 0) return withNotice(state, 'This event is not among the loaded rows of the list below.');
  const { rows, nextCursor } = below.list;
  const row = rows[direction === 'next' ? place + 1 : place - 1];
  if (row !== undefined) {
    const ids = { eventId: row.event_id, issueId: row.issue_id };
    const moved = withScreen(state, below.key, (one) =>
      one.kind === 'issue' || one.kind === 'events'
        ? { ...one, list: { ...one.list, selectedId: row.event_id, isTouched: true } }
        : one,
    );
    const shown = withOtherEvent(screen, ids);
    return withTop(moved, shown.pane === 'diff' ? withOtherId(moved, shown) : shown);
  }
  if (direction === 'previous') return withNotice(withoutStep(state, screen), 'This is the first event of the list.');
  if (nextCursor === null) return withNotice(withoutStep(state, screen), 'This is the last event of the list.');
  return withNotice(withTop(state, { ...screen, step: 'next' }), 'Loading more events…');
}

/** What is read so that the list below goes on where the person comes to its end; a step that waited for it is done then. */
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

/** A list that was never visible, as after resuming, is read once; another one where its loaded end is near. */
function isMoreWanted(below: EventListScreen, { eventId }: EventScreen): boolean {
  const { rows, nextCursor } = below.list;
  if (rows.length === 0) return below.reading === 'loading';
  const place = rowOfEvent(below, eventId);
  return nextCursor !== null && place >= 0 && place + READ_AHEAD >= rows.length;
}

/** Does what waited for the list, a step or the choice of what is compared, where its screen is still the visible one. */
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
