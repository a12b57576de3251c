import type { FailureReader } from '../../../core/contract/reader.js';
import { foldedDetail } from '../../format/event/folded-detail.js';
import { findRelatedEvents } from '../../readers/related-events.js';
import type { EventScreen } from '../../state/event-state.js';
import { createEventViews } from '../../state/event-views.js';
import { createPager } from '../../state/pager.js';
import { changeScreen, type StateRead, type TerminalState } from '../../state/terminal-state.js';
import { withDiff } from './diff-pane.js';
import { readsForStep } from './next-event.js';

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
  const views = createEventViews(event);
  return withDiff({ ...screen, event, views, pager: createPager(foldedDetail(views.blocks, screen.folded)) });
}
