import type { RejectedRecord } from '../../../generated/reader-answers.js';
import { bodyRows } from '../../components/layout.js';
import { listLines } from '../../components/list-lines.js';
import { selectedRow } from '../../state/list-selection.js';
import { REJECTED_ROWS, type RejectedScreen } from '../../state/status-state.js';
import type { TerminalState } from '../../state/terminal-state.js';
import type { Column } from '../../text/columns.js';
import { byteWords } from '../../text/counts.js';
import { sortedJson } from '../../text/json-text.js';
import { type Line, span, spread, withRows, words } from '../../text/line.js';
import { columnTime } from '../../text/moments.js';
import { ruleLine } from '../../text/rule-line.js';
import { zoneWord } from '../../text/time-words.js';
import { literal, neutralise } from '../../text/visible.js';
import { wrapLine } from '../../text/wrapped-line.js';

/** Title, filter and column headings. */
const FIXED_ROWS = 3;
/** Lines of a payload; an export has all. */
const MAX_LINES = 5_000;
const ADVICE: readonly Line[] = [
  [],
  [words('  To mend one: y p copies the payload, x exports the list to a file.', 'muted')],
  [words('  faultline send --file FILE sends payloads again.', 'muted')],
];

/** Rows of the list; a shown preview has the other half of the window. */
export function rejectedRows(state: TerminalState, { isPreviewOn, list }: RejectedScreen): number {
  const rows = bodyRows(state, FIXED_ROWS);
  return isPreviewOn && list.rows.length > 0 ? Math.ceil(rows / 2) : rows;
}

/** The filter, the list, and the payload of the selected row. */
export function rejectedLines(state: TerminalState, screen: RejectedScreen): readonly Line[] {
  const { list, query, isPreviewOn } = screen;
  const { columns } = state.size;
  const record = selectedRow(list, REJECTED_ROWS);
  const filter: Line = query === '' ? [words(' / filter', 'muted')] : [words(' / ', 'label'), span(neutralise(query))];
  const order = words(query === '' ? 'newest first ' : 'Esc clears    newest first ', 'muted');
  const head = spread(filter, [order], columns);
  if (record === undefined) return [head, [], [words('  '), words(emptyText(screen))]];
  const rows = rejectedRows(state, screen);
  const shown = listLines(list, REJECTED_ROWS, columnsOf(state), { cells: columns, rows });
  if (!isPreviewOn) return [head, ...shown];
  const size = record.bytes === null ? '' : `, ${byteWords(record.bytes)}`;
  const payload = payloadLines(record, columns);
  const room = bodyRows(state, FIXED_ROWS) - rows - 1;
  const advice = payload.length + ADVICE.length <= room ? ADVICE : [];
  return [
    head,
    ...withRows(shown, rows + 1),
    ruleLine(literal(`payload${size}`), 'p hides', columns),
    ...payload.slice(0, room),
    ...advice,
  ];
}

function emptyText({ isLoading, list, query }: RejectedScreen): string {
  if (isLoading || list.nextCursor !== null) return 'Loading…';
  return query === '' ? 'No rejected payloads.' : 'No rejected payload matches.';
}

function columnsOf({ nowMs, habits: { time: zone } }: TerminalState): readonly Column<RejectedRecord>[] {
  return [
    { heading: `TIME ${zoneWord(zone)}`, cells: 12, text: (row) => columnTime(row.rejected_at, { nowMs, zone }) },
    { heading: 'RECEIVER', cells: 9, text: ({ receiver }) => receiver },
    { heading: 'CODE', cells: 16, text: ({ code }) => code },
    { heading: 'FIELD', cells: 10, text: ({ field }) => field },
    { heading: 'REASON', cells: 'rest', text: ({ reason }) => reason },
  ];
}

/** What is kept of a rejected payload: JSON is indented, other text is shown as it is. */
export function payloadLines({ payload, text, base64, cut }: RejectedRecord, columns: number): Line[] {
  const kept = payload === undefined ? (text ?? base64 ?? 'The payload was not kept.') : sortedJson(payload);
  const lines = kept.split('\n', MAX_LINES).map((line): Line => [words('  '), span(neutralise(line))]);
  if (cut === true) lines.push([words('  Only the beginning is kept.', 'muted')]);
  return lines.flatMap((line) => wrapLine(line, columns, 2));
}
