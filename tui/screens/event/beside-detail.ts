import type { EventDetail } from '../../../generated/reader-answers.js';
import { isSummarized, narrowStack, withoutLoneError } from '../../format/event/stack-summary.js';
import type { Linked } from '../../readers/related-events.js';
import type { EventScreen } from '../../state/event-state.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { tableLines } from '../../text/columns.js';
import { countWithNoun } from '../../text/counts.js';
import { cutLine, type Line, span, words } from '../../text/line.js';
import { neutralise } from '../../text/visible.js';
import { wrapLine } from '../../text/wrapped-line.js';
import { relatedColumns, relatedLabel } from './related-pane.js';
import { rowsOfStack } from './stack-pane.js';

/** Share of the rows that the stack takes at most, and events of one request, trace or session. */
const STACK_SHARE = 0.5;
const MAX_EVENTS = 5;

/** What stands beside the detail view: stack, events of the same request, trace, session and user, and notes. */
export function besideDetail(
  state: TerminalState,
  screen: EventScreen,
  { cells, rows }: { cells: number; rows: number },
): readonly Line[] {
  const { event, related } = screen;
  if (event === undefined) return [];
  const calls = rowsOfStack(state, screen).filter(isSummarized);
  const stack = narrowStack(withoutLoneError(calls), cells);
  const most = Math.max(2, Math.floor(rows * STACK_SHARE));
  const shown = stack.length > most ? [...stack.slice(0, most - 1), [words('… 2 shows all', 'muted')]] : stack;
  const notes = event.notes.flatMap(({ field, reason }) => wrapLine([span(neutralise(`${field}: ${reason}`))], cells));
  return [
    ...part([words('Stack', 'heading')], shown.length === 0 ? [[words(noCalls(event), 'muted')]] : shown),
    ...(related ?? []).flatMap((linked) => linkedPart(state, linked, cells)),
    ...part(
      [words('Notes', 'heading')],
      notes.length === 0 ? [[words('  none: nothing was cut or guessed', 'muted')]] : notes,
    ),
  ].map((line) => cutLine(line, cells));
}

function noCalls({ normalized }: EventDetail): string {
  return normalized.stack ? '  no calls: 2 shows the text' : '  none';
}

function part(heading: Line, lines: readonly Line[]): Line[] {
  return [heading, ...lines, []];
}

function linkedPart(state: TerminalState, linked: Linked, cells: number): Line[] {
  const { name, ids, events } = linked;
  if (ids.length === 0 || events.length === 0) return [];
  const heading = relatedLabel(linked, 'heading');
  if (name === 'user') {
    const issues = new Set(events.map(({ issue_id }) => issue_id)).size;
    return part(heading, [[words(`  ${countWithNoun(events.length, 'event')} in ${countWithNoun(issues, 'issue')}`)]]);
  }
  const table = tableLines(events.slice(0, MAX_EVENTS), relatedColumns(state), { cells, selected: -1 });
  const more = events.length - MAX_EVENTS;
  return part(heading, [...table.slice(1), ...(more > 0 ? [[words(`  … ${more} more: 3`, 'muted')]] : [])]);
}
