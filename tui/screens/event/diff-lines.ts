import type { EventDetail } from '../../../generated/reader-answers.js';
import type { DiffRow } from '../../format/event/diff-view.js';
import type { EventDiff } from '../../format/event/event-diff.js';
import type { EventScreen } from '../../state/event-state.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { fullCount } from '../../text/counts.js';
import { needleOf } from '../../text/find-text.js';
import { highlighted } from '../../text/highlight.js';
import { type Line, type Meaning, type Span, span, spread, words } from '../../text/line.js';
import { clockTime } from '../../text/time-words.js';
import { cutToCells, neutralise, ownWords } from '../../text/visible.js';
import { otherWords } from './diff-pane.js';
import { paneRows } from './event-layout.js';

/** The end of an id, which tells events apart that came within a minute: their ids begin with the time. */
const SHORT_ID = 7;
/** Columns from which on everything has room. */
const WIDE = 80;

/** Two rows: the events that are compared, each with its sign, and how much is the same. */
export function diffHeadLines(state: TerminalState, screen: EventScreen): readonly Line[] {
  const { event, diff } = screen;
  const { columns } = state.size;
  const counts = diff.diff === undefined ? '' : countWords(diff.diff, columns);
  const hidden = diff.isWhole || columns < WIDE ? '' : 'Z lists the same ones too ';
  return [
    spread(eventLine('-', diff.other, otherWords(screen), state), [words(counts, 'label')], columns),
    spread(eventLine('+', event, 'this event', state), [words(counts === '' ? '' : hidden, 'muted')], columns),
  ];
}

function countWords({ different, sameCount }: EventDiff, columns: number): string {
  const differ = `${fullCount(different.length)} differ`;
  return columns < WIDE ? `${differ} ` : `${differ}, ${fullCount(sameCount)} the same `;
}

function eventLine(sign: '-' | '+', event: EventDetail | undefined, what: string, state: TerminalState): Line {
  const meaning: Meaning = sign === '-' ? 'removed' : 'added';
  if (event === undefined) return [words(` ${sign} `, meaning), words(what, 'muted')];
  return [
    words(` ${sign} `, meaning),
    span(neutralise(`…${event.event_id.slice(-SHORT_ID)}`), meaning),
    words('  '),
    span(clockTime(event.normalized.timestamp, 'full', state.habits.time)),
    words(`  ${what}`, 'muted'),
  ];
}

/** The visible rows of the comparison. */
export function diffBodyLines(state: TerminalState, screen: EventScreen): readonly Line[] {
  const { top, cursor } = screen.diff;
  const needle = needleOf(screen.search);
  const { columns } = state.size;
  return screen.diff.rows.slice(top, top + paneRows(state, 'diff')).map((row, place) => {
    const isSelected = top + place === cursor;
    const margin = isSelected ? words('› ', 'selected') : words('  ');
    return [margin, ...highlighted(rowLine(row, columns, isSelected), needle)];
  });
}

function rowLine({ kind, parts }: DiffRow, cells: number, isSelected: boolean): Line {
  const [before, own, after] = parts;
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
        span(ownWords(text(own, kind).text), kind),
        text(after, 'plain'),
      ];
    }
    case 'same':
    case 'note':
      return [words('    '), text(before, 'muted')];
  }
}
