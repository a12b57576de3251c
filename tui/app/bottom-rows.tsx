import type { ReactElement } from 'react';
import { Lines } from '../components/lines.js';
import { overlayLines } from '../overlays/overlay-lines.js';
import { mayAct } from '../state/read-only.js';
import { type Notice, type TerminalState, topScreen } from '../state/terminal-state.js';
import { bindingsAt, type Command, type KeyBinding } from '../terminal/keymap.js';
import { keyLabel } from '../text/key-label.js';
import { type Line, lineCells, type Meaning, span, spread, words } from '../text/line.js';
import { neutralise } from '../text/visible.js';
import { logicOf } from './screen-table.js';
import { keyScopeOf } from './update.js';

const TONES: Readonly<Record<Notice['tone'], Meaning>> = { good: 'good', info: 'info', error: 'error' };

const ALWAYS: ReadonlySet<Command> = new Set(['help', 'quit']);

/** The bottom rows: the overlay, else the notice, else why the connection is lost, else hints. */
export function BottomRows({ state }: { state: TerminalState }): ReactElement {
  const { overlay, size } = state;
  if (overlay !== undefined) return <Lines lines={overlayLines(overlay, state)} />;
  const position = logicOf(topScreen(state)).position(state);
  const right: Line = [words('  '), span(position, 'muted'), words(' ')];
  const room = size.columns - lineCells(right);
  const notice = noticeLine(state);
  // A long notice needs the room of the position.
  if (notice !== undefined && lineCells(notice) > room) return <Lines lines={[notice]} />;
  return <Lines lines={[spread(notice ?? hintLine(offered(state), room), right, size.columns)]} />;
}

function noticeLine({ notice, connection }: TerminalState): Line | undefined {
  if (notice !== undefined) return [words(' '), span(neutralise(notice.text), TONES[notice.tone])];
  if (connection.kind === 'lost') return [words(' '), span(neutralise(connection.reason), 'error')];
  return undefined;
}

function offered(state: TerminalState): readonly KeyBinding[] {
  const logic = logicOf(topScreen(state));
  const bindings = bindingsAt(state.keymap, keyScopeOf(state), mayAct(state));
  return bindings.filter(({ command }) => logic.isOffered(state, command));
}

/** As many whole hints as fit; `help` and `quit` are always among them. */
function hintLine(bindings: readonly KeyBinding[], cells: number): Line {
  const hints = bindings.flatMap(({ command, keys, hint }) =>
    hint === undefined || keys[0] === undefined ? [] : [{ command, line: hintOf(keys[0], hint) }],
  );
  const always = hints.filter(({ command }) => ALWAYS.has(command));
  let room = cells - always.reduce((sum, { line }) => sum + lineCells(line), 0);
  return hints.flatMap(({ command, line }) => {
    if (ALWAYS.has(command)) return line;
    room -= lineCells(line);
    return room < 0 ? [] : line;
  });
}

/** A key and what it does. */
export function hintOf(key: string, hint: string): Line {
  return [words(` ${keyLabel(key)}`, 'label'), words(` ${hint} `, 'muted')];
}
