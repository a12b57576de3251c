import { cutText } from '../../../core/event/text.js';
import type { StackRow } from '../../format/event/stack-rows.js';
import { frameLine, nameCellsOf } from '../../format/event/stack-summary.js';
import type { ErrorRelation } from '../../format/event/stack-view.js';
import type { EventScreen } from '../../state/event-state.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { fullCount } from '../../text/counts.js';
import { highlight, toNeedle } from '../../text/find-text.js';
import { type Line, type Meaning, type Span, span, spread, words } from '../../text/line.js';
import { cutToCells, neutralise } from '../../text/visible.js';
import { paneRows } from './event-layout.js';
import { rowsOfStack, stackCursor } from './stack-pane.js';

const RELATION_WORDS: Readonly<Record<ErrorRelation, string>> = {
  reported: '',
  cause: 'Caused by: ',
  member: 'One of them: ',
  suppressed: 'Suppressed: ',
};
/** UTF-16 units of a message in its row. */
const MAX_MESSAGE = 2_000;
const NUMBER_CELLS = 6;

/** The visible rows of the stack. */
export function stackLines(state: TerminalState, screen: EventScreen): readonly Line[] {
  const rows = rowsOfStack(state, screen);
  const cursor = stackCursor(rows, screen.stack);
  const { top } = screen.stack;
  const needle = toNeedle(screen.search);
  const cells = state.size.columns - 2;
  const nameCells = nameCellsOf(rows, cells);
  return rows.slice(top, top + paneRows(state, 'stack')).map((row, index) => {
    const isSelected = top + index === cursor;
    const margin = isSelected ? words('› ', 'selected') : words('  ');
    return [margin, ...highlight(rowLine(row, { nameCells, cells, isSelected }), needle)];
  });
}

function rowLine(
  row: StackRow,
  { nameCells, cells, isSelected }: { nameCells: number; cells: number; isSelected: boolean },
): Line {
  const as = (meaning: Meaning): Meaning => (isSelected ? 'selected' : meaning);
  switch (row.kind) {
    case 'error':
      return errorLine(row, as, cells);
    case 'library':
      return [words(row.isFolded ? '… ' : '▾ ', as('muted')), words(row.text, as('muted'))];
    case 'frame':
      return frameLine(row, { nameCells, cells, hasPath: true, isSelected });
    case 'source': {
      const { number, text, isFrameLine } = row.line;
      const label: Span = words(`${String(number).padStart(NUMBER_CELLS)} ${isFrameLine ? '→' : '│'} `, as('muted'));
      return [label, span(cutToCells(text, cells), as(isFrameLine ? 'strong' : 'muted'))];
    }
    case 'said':
      return [words('      '), span(cutToCells(row.text, cells), as('muted'))];
    case 'heading':
      return [span(cutToCells(row.text, cells), as('heading'))];
    case 'text':
      return [span(cutToCells(row.text, cells), as('plain'))];
    case 'gap':
      return [];
  }
}

type ErrorRow = Extract<StackRow, { kind: 'error' }>;

/** `as` gives the meaning of a text in a row that may be selected. */
function errorLine({ error, isFolded }: ErrorRow, as: (meaning: Meaning) => Meaning, cells: number): Line {
  const { relation, isRoot, type, message, frames } = error;
  const left: Line = [
    words(RELATION_WORDS[relation], 'label'),
    ...(isRoot ? [words('[root] ', 'label')] : []),
    span(neutralise(type ?? ''), as('error')),
    words(type === null || message === '' ? '' : ': ', as('plain')),
    span(cutToCells(cutText(message, MAX_MESSAGE), cells), as('plain')),
  ];
  return isFolded ? spread(left, [words(`  … ${fullCount(frames.length)} frames folded`, 'muted')], cells) : left;
}
