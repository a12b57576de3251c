import { messageLines } from '../../components/list-lines.js';
import { beside } from '../../format/event/facet-lines.js';
import { isSummarized, narrowStack, withoutLoneError } from '../../format/event/stack-summary.js';
import { listedEvents } from '../../format/issue/listed-events.js';
import type { Linked } from '../../readers/related-events.js';
import { EVENT_PANES, type EventPane, type EventScreen } from '../../state/event-state.js';
import type { Drawing, TitleFact } from '../../state/screen-logic.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { tableLines } from '../../text/columns.js';
import { countWithNoun, fullCount } from '../../text/counts.js';
import { cutLine, type Line, type Span, span, spread, words, wrapLine } from '../../text/line.js';
import { columnTime } from '../../text/moments.js';
import { tabsLine } from '../../text/tabs-line.js';
import { cutToCells, literal, neutralise } from '../../text/visible.js';
import { detailLines } from './detail-pane.js';
import { diffBodyLines, diffHeadLines } from './diff-pane.js';
import { foundIn } from './event-find.js';
import { detailWindow, MARGIN_CELLS, paneRows } from './event-layout.js';
import { listBelow, rowOfEvent } from './list-below.js';
import { relatedColumns, relatedCount, relatedLabel, relatedLines } from './related-pane.js';
import { stackLines } from './stack-lines.js';
import { rowsOfStack } from './stack-pane.js';

const NAME_CELLS = 24;
/** The rule beside the detail view and a blank. */
const SEPARATOR_CELLS = 2;
const GONE = 'This event is gone. It was probably removed by retention.';
const NO_OTHER = 'The issue has no other event.';
const OTHER_GONE = 'The other event is gone. d chooses another one.';
const NO_DIFFERENCE = 'The events are equal.';

/** One event in one of its panes. */
export function drawEvent(state: TerminalState, screen: EventScreen): Drawing {
  return {
    path: pathOf(state, screen),
    facts: factsOf(state, screen),
    lines: [tabLine(state, screen), ...paneLines(state, screen)],
  };
}

function pathOf({ nowMs, habits, stack }: TerminalState, { event }: EventScreen): string {
  const list = stack.at(-2)?.kind === 'events' ? 'Events' : 'Issues';
  if (event === undefined) return `${list} › Event`;
  const { error_name: name, message, timestamp } = event.normalized;
  const time = columnTime(timestamp, { nowMs, zone: habits.time }).trim();
  return `${list} › ${cutToCells(name || message, NAME_CELLS)} › ${time}`;
}

function factsOf(state: TerminalState, { eventId }: EventScreen): readonly TitleFact[] {
  const below = listBelow(state);
  const index = below === undefined ? -1 : rowOfEvent(below, eventId);
  if (index < 0 || below?.kind !== 'issue' || below.query !== '') return [];
  const { list, issue } = below;
  const loaded = list.nextCursor === null ? list.rows.length : undefined;
  const total = listedEvents(issue) ?? loaded;
  if (total === undefined) return [];
  return [{ text: span(literal(`${fullCount(index + 1)} of ${fullCount(total)}`)), rank: 0 }];
}

function paneLines(state: TerminalState, screen: EventScreen): readonly Line[] {
  const { event, isGone, pane } = screen;
  const rows = paneRows(state, pane);
  const message = (text: string): Line[] => messageLines([text], state.size.columns, rows);
  if (pane === 'diff') {
    const empty = emptyText(screen);
    return [...diffHeadLines(state, screen), ...(empty === undefined ? diffBodyLines(state, screen) : message(empty))];
  }
  if (event === undefined) return message(isGone ? GONE : 'Loading…');
  switch (pane) {
    case 'detail':
      return wholeDetail(state, screen, rows);
    case 'stack':
      return stackLines(state, screen);
    case 'related':
      return relatedLines(state, screen);
  }
}

function wholeDetail(state: TerminalState, screen: EventScreen, rows: number): readonly Line[] {
  const detail = detailLines(state, screen);
  const leftCells = detailWindow(state).columns + MARGIN_CELLS;
  const cells = state.size.columns - leftCells - SEPARATOR_CELLS;
  if (cells <= 0) return detail;
  return beside(detail, besideDetail(state, screen, { cells, rows }), { leftCells, rows });
}

function emptyText({ isGone, diff }: EventScreen): string | undefined {
  if (isGone) return GONE;
  if (diff.otherId === undefined) return NO_OTHER;
  if (diff.isGone) return OTHER_GONE;
  if (diff.diff === undefined) return 'Loading…';
  return diff.diff.different.length === 0 && !diff.isWhole ? NO_DIFFERENCE : undefined;
}

const PANE_NAMES: Readonly<Record<EventPane, string>> = {
  detail: 'Detail',
  stack: 'Stack',
  related: 'Related',
  diff: 'Compare',
};
const MAX_SEARCH_CELLS = 16;

/** The tabs; on the right the matches, the errors of the chain and the notes. */
function tabLine(state: TerminalState, screen: EventScreen): Line {
  const { columns } = state.size;
  const frames = screen.views?.stack.errors.reduce((sum, error) => sum + error.frames.length, 0);
  const counts: Partial<Record<EventPane, number | undefined>> = { stack: frames, related: relatedCount(screen) };
  const tabs = tabsLine(
    EVENT_PANES.map((pane) => ({ name: PANE_NAMES[pane], count: counts[pane] })),
    PANE_NAMES[screen.pane],
    columns,
  );
  return spread(tabs, facts(state, screen), columns);
}

function facts(state: TerminalState, screen: EventScreen): Line {
  const found = foundIn(state, screen);
  const { event, views } = screen;
  const parts: Span[][] = [];
  if (found !== undefined) {
    const at = found.at === undefined ? '' : `${fullCount(found.at)}/`;
    parts.push([span(cutToCells(screen.search, MAX_SEARCH_CELLS), 'match'), words(` ${at}${fullCount(found.count)}`)]);
  }
  const errors = views?.stack.errors.length ?? 0;
  if (errors > 1) parts.push([words('chain of '), span(fullCount(errors), 'label')]);
  const notes = event?.notes.length ?? 0;
  if (notes > 0)
    parts.push([span(countWithNoun(notes, 'note'), 'warning'), words(screen.pane === 'stack' ? '' : ': 2')]);
  return parts
    .flatMap((part, index) => [...(index === 0 ? [words(' ')] : [words(' · ', 'muted')]), ...part])
    .concat(words(' '));
}

/** Share of the rows that the stack takes at most, and events of one request, trace or session. */
const STACK_SHARE = 0.5;
const MAX_EVENTS = 5;

/** What stands beside the detail view: stack, events of the same request, trace, session and user, and notes. */
function besideDetail(
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
  const noCalls = event.normalized.stack ? '  no calls: 2 shows the text' : '  none';
  const notes = event.notes.flatMap(({ field, reason }) => wrapLine([span(neutralise(`${field}: ${reason}`))], cells));
  return [
    ...part([words('Stack', 'heading')], shown.length === 0 ? [[words(noCalls, 'muted')]] : shown),
    ...(related ?? []).flatMap((linked) => linkedPart(state, linked, cells)),
    ...part(
      [words('Notes', 'heading')],
      notes.length === 0 ? [[words('  none: nothing was cut or guessed', 'muted')]] : notes,
    ),
  ].map((line) => cutLine(line, cells));
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
