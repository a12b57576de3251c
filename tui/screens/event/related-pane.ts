import type { EventSummary } from '../../../generated/reader-answers.js';
import { type Linked, NEAR_MINUTES } from '../../readers/related-events.js';
import { type EventScreen, openEvent } from '../../state/event-state.js';
import { isMove, moveIndex } from '../../state/moves.js';
import { pushScreen, type TerminalState, withTop } from '../../state/terminal-state.js';
import type { Command } from '../../terminal/keymap.js';
import { type Column, groupedLines, tableLines } from '../../text/columns.js';
import { LEVEL_CELLS, type Line, type Meaning, span, words } from '../../text/line.js';
import { columnTime } from '../../text/moments.js';
import { cellsOf, cutToCells } from '../../text/visible.js';
import { paneRows } from './event-layout.js';

const PARTLY = 'Only the latest events were searched.';
const MAX_ID_CELLS = 48;
const MAX_SERVICE_CELLS = 12;

/** The related events in the order of their rows. */
export function relatedEvents({ related }: EventScreen): readonly EventSummary[] {
  return related?.flatMap(({ events }) => events) ?? [];
}

/** The number of events of the same request, trace or session; undefined until loaded. */
export function relatedCount({ related }: EventScreen): number | undefined {
  return related?.reduce((sum, { name, events }) => sum + (name === 'user' ? 0 : events.length), 0);
}

/** Runs a command in the related events; undefined if it means nothing there. */
export function runInRelated(state: TerminalState, screen: EventScreen, command: Command): TerminalState | undefined {
  const events = relatedEvents(screen);
  if (isMove(command)) {
    const range = { last: Math.max(0, events.length - 1), rows: paneRows(state, 'related') };
    return withTop(state, { ...screen, relatedIndex: moveIndex(screen.relatedIndex, command, range) });
  }
  const event = command === 'open' ? events[screen.relatedIndex] : undefined;
  return event && pushScreen(state, (key) => openEvent(key, event));
}

/** Where the request, trace and session of the event went on, and what its user met at that time. */
export function relatedLines(state: TerminalState, screen: EventScreen): readonly Line[] {
  const { related, relatedIndex: selected } = screen;
  if (related === undefined) return [[], [words('  Loading…')]];
  const events = relatedEvents(screen);
  const columns = relatedColumns(
    state,
    events.map(({ service }) => service),
  );
  const table = tableLines(events, columns, { cells: state.size.columns, selected });
  const groups = related.flatMap((linked) => {
    const { ids, events } = linked;
    if (ids.length === 0) return [];
    const label = [words('  '), ...relatedLabel(linked, 'label')];
    return [{ head: [[...label, words(events.length === 0 ? ': no other events' : '')]], rows: events.length }];
  });
  const missing = related.filter(({ ids }) => ids.length === 0).map(({ name }) => `same ${name}`);
  const notes: Line[] = [];
  if (missing.length > 0) {
    const names = missing.join(', ').replace('same', 'Same');
    notes.push(
      [words(`  ${names}`, 'label')],
      [words(`  this event has ${missing.length === 2 ? 'neither' : 'none'}`)],
    );
  }
  if (related.some(({ isComplete }) => !isComplete)) notes.push([words(`  ${PARTLY}`, 'warning')]);
  const shown = [...groups, { head: notes, rows: 0 }];
  return [[], ...groupedLines(shown, table.slice(1), { selected, rows: paneRows(state, 'related') - 1 })];
}

/** `Same user, u-718, within 10 minutes`. */
export function relatedLabel({ name, ids: [id = ''] }: Linked, meaning: Meaning): Line {
  const near = name === 'user' ? `, within ${NEAR_MINUTES} minutes` : '';
  return [words(`Same ${name}, `, meaning), span(cutToCells(id, MAX_ID_CELLS), meaning), words(near, meaning)];
}

/** Time, level and title of related events, and their services if these are given. */
export function relatedColumns(
  { nowMs, habits }: TerminalState,
  services?: readonly string[],
): readonly Column<EventSummary>[] {
  const serviceCells = services?.map((service) => cellsOf(cutToCells(service, MAX_SERVICE_CELLS)));
  const service = {
    heading: '',
    cells: Math.max(0, ...(serviceCells ?? [])) + 1,
    text: (event: EventSummary) => event.service,
  };
  return [
    { heading: '', cells: 12, text: ({ timestamp }) => columnTime(timestamp, { nowMs, zone: habits.time }) },
    ...(serviceCells === undefined ? [] : [service]),
    { heading: '', cells: 5, ...LEVEL_CELLS },
    { heading: '', cells: 'rest', text: ({ error_name: name, message }) => `${name}: ${message}` },
  ];
}
