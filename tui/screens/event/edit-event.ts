import { asking, type TerminalState, telling } from '../../state/terminal-state.js';
import type { EventScreen } from './event-state.js';
import { selectedFrame } from './stack-pane.js';

/** Opens the selected frame's file, or from the other panes the raw line of the partition file. */
export function editEvent(state: TerminalState, screen: EventScreen): TerminalState {
  const { event, pane } = screen;
  if (event === undefined) return state;
  if (pane !== 'stack') return opening(state, event.raw.path, event.raw.line + 1);
  const selected = selectedFrame(state, screen);
  if (selected === undefined) return telling(state, 'No frame is selected.', 'error');
  const { frame, line } = selected;
  if (frame.place === undefined || line === undefined)
    return telling(state, 'This frame names no file and line.', 'error');
  const source = screen.sources.get(`${frame.place.path}:${frame.place.line}`);
  return opening(state, typeof source === 'object' ? source.path : frame.place.path, line);
}

function opening(state: TerminalState, path: string, line: number): TerminalState {
  return asking(state, {
    perform: async ({ edit }) => {
      const said = await edit(path, line);
      return (now) => telling(now, said, 'good');
    },
  });
}
