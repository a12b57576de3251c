import { foldedDetail } from '../../format/event/folded-detail.js';
import type { EventScreen } from '../../state/event-state.js';
import { createEventViews } from '../../state/event-views.js';
import { createPager } from '../../state/pager.js';
import { type StateRead, type TerminalState, withScreen } from '../../state/terminal-state.js';
import { withDiff } from './diff-pane.js';
import { readsForStep } from './next-event.js';

/** Reads to start at once: the event, the one to compare with, and more of the list below. */
export function missingOfEvent(state: TerminalState, screen: EventScreen): readonly StateRead[] {
  const reads: StateRead[] = [...readsForStep(state, screen)];
  if (screen.event === undefined && !screen.isGone) reads.push(readEvent(screen));
  const { diff, pane } = screen;
  if (pane === 'diff' && diff.otherId !== undefined && diff.other === undefined && !diff.isGone)
    reads.push(readOther(screen));
  return reads;
}

function readEvent({ key, eventId }: EventScreen): StateRead {
  return {
    name: `event ${key} ${eventId}`,
    perform: async (reader) => {
      const event = await reader.getEvent(eventId);
      return (state) =>
        withScreen(state, key, (screen) => {
          if (screen.kind !== 'event' || screen.eventId !== eventId) return screen;
          if (event === undefined) return { ...screen, isGone: true };
          const views = createEventViews(event);
          return withDiff({ ...screen, event, views, pager: createPager(foldedDetail(views.blocks, screen.folded)) });
        });
    },
  };
}

function readOther({ key, diff: { otherId } }: EventScreen): StateRead {
  return {
    name: `event ${key} to compare ${otherId}`,
    perform: async (reader) => {
      const other = otherId === undefined ? undefined : await reader.getEvent(otherId);
      return (state) =>
        withScreen(state, key, (screen) => {
          if (screen.kind !== 'event' || screen.diff.otherId !== otherId) return screen;
          return withDiff({ ...screen, diff: { ...screen.diff, other, isGone: other === undefined } });
        });
    },
  };
}
