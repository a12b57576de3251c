import type { FailureReader } from '../../../core/contract/reader.js';
import { foldedDetail } from '../../format/event/detail-view.js';
import { findRelatedEvents } from '../../readers/related-events.js';
import { type EventScreen, eventViews, withOtherEvent } from '../../state/event-state.js';
import { Pager } from '../../state/pager.js';
import {
  changeScreen,
  type StateRead,
  type TerminalState,
  topScreen,
  withNotice,
  withScreen,
  withTop,
} from '../../state/terminal-state.js';
import { withDiff, withOtherId } from './diff-pane.js';
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
function readsForStep(state: TerminalState, screen: EventScreen): readonly StateRead[] {
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

/** Reads to start at once: the event and what is related to it, the one to compare with, and more of the list below. */
export function missingOfEvent(state: TerminalState, screen: EventScreen): readonly StateRead[] {
  const { eventId, event, diff, pane } = screen;
  const { otherId } = diff;
  const reads: StateRead[] = [...readsForStep(state, screen)];
  if (event === undefined && !screen.isGone) {
    reads.push(readInto(screen, eventId, (reader) => reader.getEvent(eventId), withEvent));
  }
  if (event !== undefined && screen.related === undefined) {
    const read = (reader: FailureReader) => findRelatedEvents(reader, event);
    // One at a time: the search of an event that was left is not followed by more of them.
    reads.push(readInto(screen, 'related', read, (now, related) => ({ ...now, related })));
  }
  if (pane === 'diff' && otherId !== undefined && diff.other === undefined && !diff.isGone) {
    reads.push(
      readInto(
        screen,
        `to compare ${otherId}`,
        (reader) => reader.getEvent(otherId),
        (now, other) => {
          if (now.diff.otherId !== otherId) return now;
          return withDiff({ ...now, diff: { ...now.diff, other, isGone: other === undefined } });
        },
      ),
    );
  }
  return reads;
}

/** A read for the visible event; the answer for another one changes nothing visible, and the new object starts the next read. */
function readInto<Found>(
  { key, eventId }: EventScreen,
  name: string,
  read: (reader: FailureReader) => Promise<Found>,
  apply: (screen: EventScreen, found: Found) => EventScreen,
): StateRead {
  return {
    name: `event ${key} ${name}`,
    perform: async (reader) => {
      const found = await read(reader);
      return changeScreen('event', key, (screen) =>
        screen.eventId === eventId ? apply(screen, found) : { ...screen },
      );
    },
  };
}

function withEvent(screen: EventScreen, event: EventScreen['event']): EventScreen {
  if (event === undefined) return { ...screen, isGone: true };
  const views = eventViews(event);
  return withDiff({ ...screen, event, views, pager: new Pager(foldedDetail(views.blocks, screen.folded)) });
}
