import type { EventDetail } from '../../../generated/reader-answers.js';
import type { DiffRow } from '../../format/event/diff-view.js';
import type { EventDiff } from '../../format/event/event-diff.js';
import type { EventScreen } from '../../state/event-state.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { fullCount } from '../../text/counts.js';
import { toNeedle } from '../../text/find-text.js';
import { highlight } from '../../text/highlight.js';
import { type Line, type Meaning, type Span, span, spread, words } from '../../text/line.js';
import { columnTime } from '../../text/moments.js';
import { cutToCells, literal } from '../../text/visible.js';
import { otherLabel } from './diff-pane.js';
import { paneRows } from './event-layout.js';

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
