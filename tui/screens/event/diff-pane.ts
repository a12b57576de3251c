import type { EventId } from '../../../core/event/ids.js';
import type { EventDetail } from '../../../generated/reader-answers.js';
import { type DiffRow, diffView } from '../../format/event/diff-view.js';
import { diffEvents, type EventDiff } from '../../format/event/event-diff.js';
import { openMenu } from '../../overlays/menu.js';
import { type EventScreen, INITIAL_DIFF, openEvent } from '../../state/event-state.js';
import { isMove, moveIndex } from '../../state/moves.js';
import { topFor } from '../../state/paged-list.js';
import { pushScreen, type TerminalState, topScreen, withNotice, withTop } from '../../state/terminal-state.js';
import type { Command } from '../../terminal/keymap.js';
import { fullCount } from '../../text/counts.js';
import { highlight, toNeedle } from '../../text/find-text.js';
import { type Line, type Meaning, type Span, span, spread, words } from '../../text/line.js';
import { clockTime, columnTime } from '../../text/moments.js';
import { cutToCells, literal } from '../../text/visible.js';
import { paneRows } from './event-layout.js';
import { listBelow, rowOfEvent } from './list-below.js';

/** Runs a command in the comparison; undefined if it means nothing there. */
export function runInDiff(state: TerminalState, screen: EventScreen, command: Command): TerminalState | undefined {
  const { diff } = screen;
  if (isMove(command)) {
    const cursor = moveIndex(diff.cursor, command, {
      last: Math.max(0, diff.rows.length - 1),
      rows: paneRows(state, 'diff'),
    });
    return withTop(state, withDiffCursor(state, { ...screen, hit: undefined }, cursor));
  }
  switch (command) {
    case 'open': {
      const { other } = diff;
      if (other === undefined) return state;
      return pushScreen(state, (key) => openEvent(key, other));
    }
    case 'unfold_all':
      return withTop(state, withDiffCursor(state, withRows(screen, !diff.isWhole), 0));
    default:
      return undefined;
  }
}

/** Moves the cursor of the comparison and keeps it visible. */
export function withDiffCursor(state: TerminalState, screen: EventScreen, cursor: number): EventScreen {
  const count = screen.diff.rows.length;
  const clamped = Math.max(0, Math.min(cursor, count - 1));
  const top = topFor(screen.diff.top, clamped, { count, rows: paneRows(state, 'diff') });
  return { ...screen, diff: { ...screen.diff, cursor: clamped, top } };
}

/** Sets the id of the other event once the list below contains it; the default is the previous event. */
export function withOtherId(state: TerminalState, screen: EventScreen): EventScreen {
  if (screen.diff.otherId !== undefined) return screen;
  const otherId = neighbourOf(state, screen);
  return otherId === undefined ? screen : { ...screen, diff: { ...screen.diff, otherId } };
}

/** Compares the events if both are loaded. */
export function withDiff(screen: EventScreen): EventScreen {
  const { event, diff } = screen;
  if (event === undefined || diff.other === undefined || diff.diff !== undefined) return screen;
  const made = diffEvents({ ...diff.other.normalized }, { ...event.normalized });
  return withRows({ ...screen, diff: { ...diff, diff: made } }, diff.isWhole);
}

/** Computes the rows once, not for every key. */
function withRows(screen: EventScreen, isWhole: boolean): EventScreen {
  const { diff } = screen.diff;
  const rows = diff === undefined ? [] : diffView(diff, isWhole);
  return { ...screen, diff: { ...screen.diff, isWhole, rows } };
}

/** Opens the menu of the other events in the list below; the previous one is selected. */
export function openDiffMenu(state: TerminalState, { eventId }: EventScreen): TerminalState {
  const below = listBelow(state);
  const rows = below?.list.rows.filter(({ event_id }) => event_id !== eventId) ?? [];
  if (below === undefined || rows.length === 0) return withNotice(state, 'No other event to compare with.');
  const items = rows.map(({ event_id, timestamp, message }) => ({
    label: clockTime(timestamp, 'full', state.habits.time),
    detail: message,
    run: (now: TerminalState) => compareWith(now, event_id),
  }));
  const selected = Math.max(0, Math.min(rowOfEvent(below, eventId), rows.length - 1));
  return { ...state, overlay: { ...openMenu('Compare with', items), selected } };
}

/** Names the other event; the first event of an issue is compared with the next one. */
function otherLabel(state: TerminalState, screen: EventScreen): string {
  const { otherId } = screen.diff;
  if (otherId !== neighbourOf(state, screen)) return 'chosen event';
  // Ids ascend by time of receipt.
  return otherId !== undefined && otherId > screen.eventId ? 'next event' : 'previous event';
}

function compareWith(state: TerminalState, otherId: EventId): TerminalState {
  const screen = topScreen(state);
  if (screen.kind !== 'event') return state;
  const diff = { ...INITIAL_DIFF, otherId, isWhole: screen.diff.isWhole };
  return withTop(state, { ...screen, pane: 'diff', hit: undefined, diff });
}

function neighbourOf(state: TerminalState, { eventId }: EventScreen): EventId | undefined {
  const below = listBelow(state);
  const index = below === undefined ? -1 : rowOfEvent(below, eventId);
  if (below === undefined || index < 0) return undefined;
  const { rows } = below.list;
  return (rows[index + 1] ?? rows[index - 1])?.event_id;
}

/** Columns from which everything fits. */
const WIDE = 80;

/** Two rows: the compared events with their signs, and the counts. */
export function diffHeadLines(state: TerminalState, screen: EventScreen): readonly Line[] {
  const { event, diff } = screen;
  const { columns } = state.size;
  const counts = diff.diff === undefined ? '' : countWords(diff.diff, columns);
  const hidden = diff.isWhole || columns < WIDE ? '' : 'Z shows equal fields ';
  return [
    spread(eventLine('-', diff.other, otherLabel(state, screen), state), [words(counts, 'label')], columns),
    spread(eventLine('+', event, 'this event', state), [words(counts === '' ? '' : hidden, 'muted')], columns),
  ];
}

function countWords({ different, sameCount }: EventDiff, columns: number): string {
  const differ = `${fullCount(different.length)} ${different.length === 1 ? 'field differs' : 'fields differ'}`;
  return columns < WIDE ? `${differ} ` : `${differ}, ${fullCount(sameCount)} equal `;
}

function eventLine(sign: '-' | '+', event: EventDetail | undefined, label: string, state: TerminalState): Line {
  const meaning: Meaning = sign === '-' ? 'removed' : 'added';
  if (event === undefined) return [words(`  ${sign} `, meaning), words(label, 'muted')];
  return [
    words(`  ${sign} `, meaning),
    span(columnTime(event.normalized.timestamp, { nowMs: state.nowMs, zone: state.habits.time }), meaning),
    words(`  ${label}`, 'muted'),
  ];
}

/** The visible rows of the comparison. */
export function diffBodyLines(state: TerminalState, screen: EventScreen): readonly Line[] {
  const { top, cursor } = screen.diff;
  const needle = toNeedle(screen.search);
  const { columns } = state.size;
  return screen.diff.rows.slice(top, top + paneRows(state, 'diff')).map((row, index) => {
    const isSelected = top + index === cursor;
    const margin = isSelected ? words('› ', 'selected') : words('  ');
    return [margin, ...highlight(rowLine(row, columns, isSelected), needle)];
  });
}

function rowLine({ kind, parts }: DiffRow, cells: number, isSelected: boolean): Line {
  const [before, different, after] = parts;
  const text = (part: string, meaning: Meaning): Span =>
    span(cutToCells(part, cells), isSelected ? 'selected' : meaning);
  switch (kind) {
    case 'field':
      return [text(before, 'heading')];
    case 'removed':
    case 'added': {
      const sign = kind === 'removed' ? '  - ' : '  + ';
      return [
        words(sign, kind),
        text(before, 'plain'),
        span(literal(text(different, kind).text), kind),
        text(after, 'plain'),
      ];
    }
    case 'same':
    case 'note':
      return [words('    '), text(before, 'muted')];
  }
}
