import type { Connection } from '../../core/merged/connection.js';
import { isTooSmall, MIN_WINDOW, screenRows } from '../components/layout.js';
import { overlayLines } from '../overlays/overlay-lines.js';
import { sheetRows } from '../overlays/sheet.js';
import { MAX_MARKED } from '../screens/lists/list-changes.js';
import type { Sheet } from '../state/overlay.js';
import { mayAct } from '../state/read-only.js';
import type { TitleFact } from '../state/screen-logic.js';
import { type TerminalState, topScreen, type WindowSize } from '../state/terminal-state.js';
import { bindingsAt, type Command, type KeyBinding, keyLabel } from '../terminal/keymap.js';
import { fullCount } from '../text/counts.js';
import { type Line, lineCells, type Span, span, spread, withRows, words } from '../text/line.js';
import { relativeTime } from '../text/moments.js';
import { literal, neutralise } from '../text/visible.js';
import { logicOf } from './screen-table.js';
import { keyScopeOf } from './update.js';

/** The rows of the window: the visible screen with its overlay, hints or a notice below it. */
export function frameLines(state: TerminalState): readonly Line[] {
  if (isTooSmall(state.size)) return tooSmall(state.size);
  if (state.overlay?.kind === 'sheet') return sheetLines(state.overlay, state);
  const { path, facts, lines } = logicOf(topScreen(state)).draw(state);
  return [titleLine(state, path, facts), ...withRows(lines, screenRows(state) - 1), ...bottomLines(state)];
}

function sheetLines(sheet: Sheet<TerminalState>, state: TerminalState): readonly Line[] {
  const rows = sheetRows(state);
  const more = sheet.lines.length > sheet.top + rows ? [words(' ↓', 'label'), words(' more ', 'muted')] : [];
  const before = sheet.top > 0 ? [words(' ↑', 'label'), words(' up ', 'muted')] : [];
  const actions = (sheet.actions ?? []).flatMap(({ key = '', label }) => hintOf(key, label));
  return [
    titleLine(state, sheet.title),
    ...withRows(sheet.lines.slice(sheet.top), rows),
    [words(' Esc', 'label'), words(' back ', 'muted'), ...actions, ...more, ...before],
  ];
}

function tooSmall(size: WindowSize): readonly Line[] {
  const { columns, rows } = MIN_WINDOW;
  const lines = [
    [words(`The window is ${size.columns}x${size.rows};`, 'strong')],
    [words(`Faultline needs ${columns}x${rows}.`, 'strong')],
    [words('q quits')],
  ];
  return lines.slice(0, size.rows);
}

const ALWAYS: ReadonlySet<Command> = new Set(['help', 'quit']);

function bottomLines(state: TerminalState): readonly Line[] {
  const { overlay, size } = state;
  if (overlay !== undefined) return overlayLines(overlay, state);
  const position = logicOf(topScreen(state)).position(state);
  const right: Line = [words('  '), span(position, 'muted'), words(' ')];
  const room = size.columns - lineCells(right);
  const notice = noticeLine(state);
  // A long notice needs the room of the position.
  if (notice !== undefined && lineCells(notice) > room) return [notice];
  return [spread(notice ?? markedLine(state) ?? hintLine(offered(state), room), right, size.columns)];
}

/** What the marked issues are for; `mark_all` also says how many it would mark. */
const MARKED_HINTS = [
  ['resolve', 'resolve'],
  ['reopen', 'reopen'],
  ['ignore', 'ignore'],
  ['assign', 'assign'],
  ['merge', 'merge'],
  ['mark_all', 'all'],
  ['back', 'unmark'],
] as const;

function markedLine(state: TerminalState): Line | undefined {
  const screen = topScreen(state);
  if (screen.kind !== 'issues' || screen.marked.size === 0) return undefined;
  const bindings = offered(state);
  const hints = MARKED_HINTS.flatMap(([command, name]) => {
    const key = bindings.find((binding) => binding.command === command)?.keys[0];
    const most = command === 'mark_all' ? ` ${fullCount(Math.min(screen.total, MAX_MARKED))}` : '';
    return key === undefined ? [] : hintOf(key, name + most);
  });
  return [words(` ${fullCount(screen.marked.size)} marked `, 'marked'), ...hints];
}

function noticeLine({ notice, connection, stack, sources: [source] }: TerminalState): Line | undefined {
  if (notice !== undefined) return [words(' '), span(neutralise(notice.text), notice.tone)];
  if (connection.kind !== 'lost') return undefined;
  const isShown = stack[0].list.rows.length > 0;
  // Its address arrives with the counts of the store.
  const lost = `No answer from ${source?.address ?? 'the collector'}. Issues can only be read for now.`;
  return [words(' '), span(neutralise(isShown && !connection.isUnauthorized ? lost : connection.reason), 'error')];
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

function hintOf(key: string, hint: string): Line {
  return [words(` ${keyLabel(key)}`, 'label'), words(` ${hint} `, 'muted')];
}

const SEPARATOR = words(' · ', 'muted');

function titleLine(state: TerminalState, path: string, facts: readonly TitleFact[] = []): Line {
  const { columns } = state.size;
  const left: Line = [words(' Faultline', 'heading'), words(`  ${path} `)];
  const room = columns - lineCells(left);
  const whole = state.overlay?.kind === 'sheet' ? words('any key closes', 'muted') : sourcesSpan(state);
  const isTooLong = state.connection.kind === 'lost' && lineCells([whole]) >= room;
  const right = fittingRight(facts, isTooLong ? shortLostSpan(state.connection) : whole, room);
  return spread(left, right, columns);
}

function shortLostSpan(connection: Connection): Span {
  const isUnauthorized = connection.kind === 'lost' && connection.isUnauthorized;
  return words(isUnauthorized ? 'no access' : 'connection lost', 'error');
}

function fittingRight(facts: readonly TitleFact[], connection: Span, cells: number): Line {
  const right = [...facts.flatMap(({ text }) => [text, SEPARATOR]), connection, words(' ')];
  if (facts.length === 0 || lineCells(right) <= cells) return right;
  const lowest = Math.min(...facts.map(({ rank }) => rank));
  return fittingRight(
    facts.filter(({ rank }) => rank > lowest),
    connection,
    cells,
  );
}

function sourcesSpan(state: TerminalState): Span {
  const { connection, sources } = state;
  const key = topScreen(state).kind === 'status' ? '' : ': S';
  const lost = sources.filter(({ kind }) => kind === 'lost').length;
  const unauthorized = sources.filter(({ kind }) => kind === 'unauthorized').length;
  if (sources.length < 2) return connectionSpan(state);
  const chosen = sources.filter(({ isLeftOut }) => isLeftOut !== true);
  if (connection.kind === 'lost' && unauthorized > 0 && lost === 0) return words(`token needed${key}`, 'error');
  if (connection.kind !== 'connected') return connectionSpan(state);
  if (unauthorized > 0 && lost === 0) {
    return words(`${unauthorized} of ${sources.length} sources need a token${key}`, 'error');
  }
  if (chosen.length < sources.length)
    return span(literal(`only ${neutralise(chosen[0]?.name ?? '')}${key}`), 'warning');
  if (lost === 0) return words(`${sources.length} sources`, 'good');
  return words(`${lost} of ${sources.length} sources lost${key}`, 'error');
}

function connectionSpan({ connection, stack, nowMs }: TerminalState): Span {
  switch (connection.kind) {
    case 'connecting':
      return words('connecting', 'muted');
    case 'connected':
      return words('live', 'good');
    case 'lost':
      if (connection.isUnauthorized) return words('no access', 'error');
      return words(
        `${stack[0].shown === undefined ? 'not connected' : lostWords(connection.sinceMs, nowMs)}, ${retryWords(connection.retryAtMs, nowMs)}`,
        'error',
      );
  }
}

function lostWords(sinceMs: number, nowMs: number): string {
  const seconds = Math.floor((nowMs - sinceMs) / 1_000);
  const age = seconds < 60 ? `${seconds}s` : relativeTime(new Date(sinceMs).toISOString(), nowMs);
  return `connection lost${seconds < 1 ? '' : ` ${age} ago`}`;
}

function retryWords(retryAtMs: number, nowMs: number): string {
  const seconds = Math.ceil((retryAtMs - nowMs) / 1_000);
  return seconds > 0 ? `retry in ${seconds}s` : 'retrying';
}
