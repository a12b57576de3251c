import type { ReactElement } from 'react';
import { Lines } from '../components/lines.js';
import { overlayLines } from '../overlays/overlay-lines.js';
import { type Notice, type TerminalState, topScreen } from '../state/terminal-state.js';
import { bindingsAt, type Command, type KeyBinding } from '../terminal/keymap.js';
import { keyLabel } from '../text/key-label.js';
import { type Line, lineCells, type Meaning, span, spread, words } from '../text/line.js';
import { neutralise } from '../text/visible.js';
import { logicOf } from './screen-table.js';
import { keyScopeOf, mayAct } from './update.js';

const TONES: Readonly<Record<Notice['tone'], Meaning>> = { good: 'good', info: 'info', error: 'error' };

const ALWAYS: ReadonlySet<Command> = new Set(['help', 'quit']);

/** The bottom: what lies over the screen, else what was done, else why the collector is lost, else the keys that work here. */
export function BottomRows({ state }: { state: TerminalState }): ReactElement {
  const { overlay, size } = state;
  if (overlay !== undefined) return <Lines lines={overlayLines(overlay, state)} />;
  const position = logicOf(topScreen(state)).position(state);
  const right: Line = [words('  '), span(position, 'muted'), words(' ')];
  const room = size.columns - lineCells(right);
  const said = noticeLine(state);
  // The position gives way to the end of a sentence.
  if (said !== undefined && lineCells(said) > room) return <Lines lines={[said]} />;
  return <Lines lines={[spread(said ?? hintLine(offered(state), room), right, size.columns)]} />;
}

/** What was done, else why the collector is lost; undefined where there is nothing to be said. */
function noticeLine({ notice, connection }: TerminalState): Line | undefined {
  if (notice !== undefined) return [words(' '), span(neutralise(notice.text), TONES[notice.tone])];
  if (connection.kind === 'lost') return [words(' '), span(neutralise(connection.reason), 'error')];
  return undefined;
}

/** The keys that do something just now. */
function offered(state: TerminalState): readonly KeyBinding[] {
  const logic = logicOf(topScreen(state));
  const bindings = bindingsAt(state.keymap, keyScopeOf(state), mayAct(state));
  return bindings.filter(({ command }) => logic.isOffered(state, command));
}

/** As many hints as there is room for, whole ones; how to find the others, and how to leave, is always among them. */
function hintLine(bindings: readonly KeyBinding[], cells: number): Line {
  const hints = bindings.flatMap(({ command, keys, hint }) =>
    hint === undefined || keys[0] === undefined ? [] : [{ command, line: hintOf(keys[0], hint) }],
  );
  const kept = hints.filter(({ command }) => ALWAYS.has(command));
  let room = cells - kept.reduce((sum, { line }) => sum + lineCells(line), 0);
  return hints.flatMap(({ command, line }) => {
    if (ALWAYS.has(command)) return line;
    room -= lineCells(line);
    return room < 0 ? [] : line;
  });
}

function hintOf(key: string, hint: string): Line {
  return [words(` ${keyLabel(key)}`, 'label'), words(` ${hint} `, 'muted')];
}
