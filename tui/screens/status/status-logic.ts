import { bodyRows } from '../../components/layout.js';
import { isMove, type Move, moveIndex } from '../../state/moves.js';
import type { ScreenLogic } from '../../state/screen-logic.js';
import { openRejected, type StatusScreen } from '../../state/status-state.js';
import {
  popScreen,
  pushScreen,
  type TerminalState,
  withEffect,
  withNotice,
  withTop,
} from '../../state/terminal-state.js';
import { literal } from '../../text/visible.js';
import { statusLines } from './status-lines.js';

/** The status; its statistics are polled on every screen. */
export const STATUS_LOGIC: ScreenLogic<StatusScreen> = {
  keyScope: () => ({ screen: 'status' }),
  run: (state, screen, command) => {
    if (isMove(command)) return withTop(state, moved(state, screen, command));
    if (command === 'rejected') return pushScreen(state, openRejected);
    if (command === 'back') return popScreen(state);
    return command === 'open' && canChoose(state, screen) ? toggleOnly(state, screen) : state;
  },
  missing: () => [],
  polled: () => [],
  fit: (_state, screen) => screen,
  isOffered: (state, screen, command) => (command === 'open' ? canChoose(state, screen) : command !== 'copy'),
  position: ({ sources }, { index }) => literal(`${Math.min(index + 1, sources.length)}/${sources.length}`),
  draw: (state, screen) => ({ path: 'Status', lines: statusLines(state, screen).slice(screen.top) }),
};

/** Moves among the sources; behind the last and before the first one, scrolls. */
function moved(state: TerminalState, screen: StatusScreen, move: Move): StatusScreen {
  const rows = bodyRows(state, 1);
  const index = moveIndex(screen.index, move, { last: state.sources.length - 1, rows });
  const last = Math.max(0, statusLines(state, screen).length - rows);
  const isAtEnd = index === screen.index;
  return { ...screen, index, top: moveIndex(screen.top, isAtEnd ? move : 'up', { last, rows }) };
}

/** Whether the selected source can be read alone; a peer cannot. */
function canChoose({ sources }: TerminalState, { index }: StatusScreen): boolean {
  return sources[index]?.isPeer !== true && ownSources(sources).length > 1;
}

function ownSources(sources: TerminalState['sources']): TerminalState['sources'] {
  return sources.filter(({ isPeer }) => isPeer !== true);
}

/** Reads only the selected source, or all again. */
function toggleOnly(state: TerminalState, { index }: StatusScreen): TerminalState {
  const name = state.sources[index]?.name ?? '';
  const isOnly = ownSources(state.sources).every((source) => (source.isLeftOut === true) === (source.name !== name));
  return withEffect(state, {
    perform: async ({ reader }) => {
      reader.readOnly?.(isOnly ? undefined : name);
      return (now) => {
        const [issues, ...above] = now.stack;
        const stack: TerminalState['stack'] = [{ ...issues, shown: undefined }, ...above];
        const notice = isOnly ? 'All sources are read.' : `Only ${name} is read.`;
        return withNotice({ ...now, stack, sources: reader.sources() }, notice);
      };
    },
  });
}
