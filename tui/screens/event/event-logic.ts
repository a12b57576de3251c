import { shortEventId } from '../../../core/event/short-event-id.js';
import type { EffectContext } from '../../state/effect-context.js';
import { EVENT_PANES, type EventPane, type EventScreen } from '../../state/event-state.js';
import { tabOf } from '../../state/moves.js';
import type { ScreenLogic } from '../../state/screen-logic.js';
import { popScreen, type TerminalState, withEffect, withNotice, withTop } from '../../state/terminal-state.js';
import type { Command } from '../../terminal/keymap.js';
import { fullCount } from '../../text/counts.js';
import { literal, type Visible } from '../../text/visible.js';
import { eventText, openCopyMenu } from '../../triage/copy-menu.js';
import { isTriage, runTriage } from '../../triage/run-triage.js';
import { runInDetail } from './detail-pane.js';
import { openDiffMenu, runInDiff, withDiffCursor, withOtherId } from './diff-pane.js';
import { findAgain, openFindPrompt } from './event-find.js';
import { detailWindow } from './event-layout.js';
import { drawEvent } from './event-screen.js';
import { chooseValue, issueBelow, listBelow } from './list-below.js';
import { missingOfEvent, step } from './next-event.js';
import { relatedEvents, runInRelated } from './related-pane.js';
import { canToggle, fitStack, rowsOfStack, runInStack, selectedFrame, stackCursor } from './stack-pane.js';

export const EVENT_LOGIC: ScreenLogic<EventScreen> = {
  keyScope: ({ pane }) => ({ screen: 'event', pane }),
  run,
  missing: missingOfEvent,
  // Only a later report of its occurrence changes an event; it shows when the event is opened again.
  polled: () => [],
  fit: (state, screen, before) => PANES[screen.pane].fit(state, screen, before),
  isOffered,
  position: (state, screen) => PANES[screen.pane].position(state, screen),
  draw: drawEvent,
};

function run(state: TerminalState, before: EventScreen, command: Command): TerminalState {
  // Any other command cancels a step that waits for more events.
  const screen = before.step === undefined ? before : { ...before, step: undefined };
  const pane = tabOf(EVENT_PANES, screen.pane, command);
  if (pane !== undefined) return showPane(state, screen, pane);
  if (isTriage(command)) {
    const issue = issueBelow(state, screen);
    return issue === undefined
      ? withNotice(state, 'Not possible here: go back to the issue.', 'error')
      : runTriage(state, [issue], command);
  }
  switch (command) {
    case 'back':
      return popScreen(state);
    case 'next':
    case 'previous':
      return step(withTop(state, screen), screen, command);
    case 'find':
      return openFindPrompt(state, screen);
    case 'find_next':
    case 'find_previous':
      return findAgain(state, screen, command === 'find_next' ? 1 : -1);
    case 'edit':
      return editEvent(state, screen);
    case 'include':
    case 'exclude':
      return chooseValue(state, screen, command === 'exclude');
    case 'diff':
      return openDiffMenu(state, screen);
    case 'copy':
      return { ...state, overlay: openCopyMenu({ issueId: screen.issueId, eventId: screen.eventId }) };
    default:
      return PANES[screen.pane].run(state, screen, command) ?? state;
  }
}

function isOffered(state: TerminalState, screen: EventScreen, command: Command): boolean {
  // The event has more to offer than its issue.
  if (isTriage(command)) return false;
  switch (command) {
    case 'next':
      return (listBelow(state)?.list.rows.length ?? 0) > 1;
    case 'open':
      return screen.pane === 'related' ? relatedEvents(screen).length > 0 : screen.diff.other !== undefined;
    case 'find':
      return screen.event !== undefined && screen.pane !== 'related';
    case 'include':
    case 'exclude':
      return screen.event !== undefined && listBelow(state) !== undefined;
    case 'toggle':
      return screen.event !== undefined && canToggle(state, screen);
    default:
      return true;
  }
}

function showPane(state: TerminalState, screen: EventScreen, pane: EventPane): TerminalState {
  const changed: EventScreen = { ...screen, pane, hit: undefined };
  const shown = pane === 'diff' ? withOtherId(state, changed) : changed;
  return withTop(state, PANES[pane].fit(state, shown, state));
}

interface PaneLogic {
  /** Undefined if the command means nothing there. */
  run(state: TerminalState, screen: EventScreen, command: Command): TerminalState | undefined;
  fit(state: TerminalState, screen: EventScreen, before: TerminalState): EventScreen;
  position(state: TerminalState, screen: EventScreen): Visible;
}

const PANES: Readonly<Record<EventPane, PaneLogic>> = {
  detail: {
    run: runInDetail,
    fit: (state, screen, before) => {
      const position = screen.pager?.reflow(screen.position, detailWindow(before), detailWindow(state));
      return position === undefined ? screen : { ...screen, position };
    },
    position: (state, { pager, position }) => {
      if (pager === undefined) return literal('');
      const last = pager.visibleRows(position, detailWindow(state)).at(-1)?.line ?? 0;
      return literal(last >= pager.lineCount - 1 ? 'end' : `${Math.floor((100 * last) / pager.lineCount)}%`);
    },
  },
  stack: {
    run: runInStack,
    fit: fitStack,
    position: (state, screen) => {
      const rows = rowsOfStack(state, screen);
      return rowPosition(stackCursor(rows, screen.stack), rows.length);
    },
  },
  related: {
    run: runInRelated,
    fit: (_state, screen) => screen,
    position: (_state, screen) => rowPosition(screen.relatedIndex, relatedEvents(screen).length),
  },
  diff: {
    run: runInDiff,
    fit: (state, screen) => withDiffCursor(state, screen, screen.diff.cursor),
    position: (_state, { diff }) => rowPosition(diff.cursor, diff.rows.length),
  },
};

function rowPosition(index: number, count: number): Visible {
  return literal(count === 0 ? '' : `${fullCount(index + 1)}/${fullCount(count)}`);
}

function editEvent(state: TerminalState, screen: EventScreen): TerminalState {
  const { event, pane } = screen;
  if (event === undefined) return state;
  if (pane !== 'stack') {
    return openEditor(state, ({ editCopy }) =>
      editCopy(`event-${shortEventId(event.event_id)}.json`, eventText(event)),
    );
  }
  const selected = selectedFrame(state, screen);
  if (selected === undefined) return withNotice(state, 'No frame is selected.', 'error');
  const { frame, line } = selected;
  if (frame.location === undefined || line === undefined)
    return withNotice(state, 'This frame has no file and line.', 'error');
  const source = screen.sources.get(`${frame.location.path}:${frame.location.line}`);
  const path = typeof source === 'object' ? source.path : frame.location.path;
  return openEditor(state, ({ edit }) => edit(path, line));
}

function openEditor(
  state: TerminalState,
  open: (context: EffectContext) => Promise<string | undefined>,
): TerminalState {
  return withEffect(state, {
    perform: async (context) => {
      const notice = await open(context);
      return (now) => (notice === undefined ? now : withNotice(now, notice, 'good'));
    },
  });
}
