import { printableJson } from '../../../config/values/printable.js';
import type { RejectedRecord } from '../../../generated/reader-answers.js';
import { bodyRows } from '../../components/layout.js';
import { listLines } from '../../components/list-lines.js';
import { openMenu } from '../../overlays/menu.js';
import { openPrompt } from '../../overlays/prompt.js';
import { appendPage, mergeHead } from '../../state/list-merge.js';
import { isMove, moveInList } from '../../state/moves.js';
import type { MenuItem } from '../../state/overlay.js';
import { positionInList, selectedRow, wantedCursor, withSelectedVisible } from '../../state/paged-list.js';
import type { ScreenLogic } from '../../state/screen-logic.js';
import { openRejected, type RejectedScreen } from '../../state/status-state.js';
import { changeScreen, popScreen, type StateRead, type TerminalState, withTop } from '../../state/terminal-state.js';
import type { Column } from '../../text/columns.js';
import { byteWords, fullCount } from '../../text/counts.js';
import { sortedJson } from '../../text/json-text.js';
import { type Line, ruleLine, span, spread, withRows, words, wrapLine } from '../../text/line.js';
import { columnTime, zoneWord } from '../../text/moments.js';
import { literal, neutralise } from '../../text/visible.js';
import { copyText } from '../../triage/copy-menu.js';
import { openExportPrompt } from '../../triage/export-prompt.js';

/** A page may have whole payloads, 256 KiB each. */
const PAGE_ROWS = 50;

/** The rejected payloads, newest first. */
export const REJECTED_LOGIC: ScreenLogic<RejectedScreen> = {
  keyScope: () => ({ screen: 'rejected' }),
  run: (state, screen, command) => {
    const { list, query, isPreviewOn, key } = screen;
    const record = selectedRow(list);
    if (isMove(command)) {
      return withTop(state, { ...screen, list: moveInList(list, command, rejectedRows(state, screen)) });
    }
    switch (command) {
      case 'open':
        return record === undefined ? state : { ...state, overlay: payloadSheet(state, record) };
      case 'copy':
        return record === undefined ? state : { ...state, overlay: copyMenu(record) };
      case 'export':
        return openExportPrompt(state, { what: 'rejected', query });
      case 'preview':
        return withTop(state, fitted(state, { ...screen, isPreviewOn: !isPreviewOn }));
      case 'filter': {
        const accept = (now: TerminalState, words: string) => withTop(now, openRejected(key, words, isPreviewOn));
        const hint = () => 'words of the receiver, code, field, reason or payload';
        return { ...state, overlay: openPrompt({ label: '/ ', hint, accept }, query) };
      }
      case 'back':
        return query === '' ? popScreen(state) : withTop(state, openRejected(key, '', isPreviewOn));
      default:
        return state;
    }
  },
  missing: (state, screen) => {
    const cursor = wantedCursor(screen.list, rejectedRows(state, screen));
    if (screen.isLoading) return [readPage(screen)];
    return cursor === undefined ? [] : [readPage(screen, cursor)];
  },
  polled: (_state, screen) => [readPage(screen)],
  fit: fitted,
  isOffered: (_state, { list }, command) => (command !== 'open' && command !== 'copy') || list.rows.length > 0,
  position: (_state, { list }) => positionInList(list),
  draw: (state, screen) => ({
    path: 'Status › Rejected',
    facts: [{ text: span(literal(`${fullCount(state.stats?.dead_letters.records ?? 0)} kept`)), rank: 0 }],
    lines: rejectedLines(state, screen),
  }),
};

function fitted(state: TerminalState, screen: RejectedScreen): RejectedScreen {
  return withSelectedVisible(screen, rejectedRows(state, screen));
}

function readPage({ key, query }: RejectedScreen, cursor?: string): StateRead {
  return {
    name: `rejected ${key} ${query} ${cursor ?? ''}`,
    perform: async (reader) => {
      const { rejected, next_cursor: nextCursor } = await reader.listRejected({ limit: PAGE_ROWS, query, cursor });
      const page = { rows: rejected, nextCursor };
      return changeScreen('rejected', key, (screen, state) => {
        if (screen.query !== query) return screen;
        const list =
          cursor === undefined
            ? mergeHead(screen.list, page, rejectedRows(state, screen))
            : appendPage(screen.list, cursor, page);
        if (list === screen.list && !screen.isLoading) return screen;
        return { ...screen, list, isLoading: false };
      });
    },
  };
}

function payloadSheet({ size }: TerminalState, record: RejectedRecord): TerminalState['overlay'] {
  return { kind: 'sheet', title: 'Payload', lines: [[], ...payloadLines(record, size.columns)], top: 0 };
}

function copyMenu({ payload, text, base64, ...reason }: RejectedRecord): TerminalState['overlay'] {
  const item = (key: string, label: string, copied: string): MenuItem<TerminalState> => {
    return { key, label, run: (now) => copyText(now, async () => printableJson(copied)) };
  };
  const kept = text ?? base64 ?? JSON.stringify(payload) ?? '';
  return openMenu('Copy', [item('p', 'payload', kept), item('r', 'reason', JSON.stringify(reason))]);
}

/** Title, filter and column headings. */
const FIXED_ROWS = 3;
/** Lines of a payload; an export has all. */
const MAX_LINES = 5_000;
const ADVICE: readonly Line[] = [
  [],
  [words('  To mend one: y p copies the payload, x exports the list to a file.', 'muted')],
  [words('  faultline send --file FILE sends payloads again.', 'muted')],
];

function rejectedRows(state: TerminalState, { isPreviewOn, list }: RejectedScreen): number {
  const rows = bodyRows(state, FIXED_ROWS);
  return isPreviewOn && list.rows.length > 0 ? Math.ceil(rows / 2) : rows;
}

function rejectedLines(state: TerminalState, screen: RejectedScreen): readonly Line[] {
  const { list, query, isPreviewOn } = screen;
  const { columns } = state.size;
  const record = selectedRow(list);
  const filter: Line = query === '' ? [words(' / filter', 'muted')] : [words(' / ', 'label'), span(neutralise(query))];
  const order = words(query === '' ? 'newest first ' : 'Esc clears    newest first ', 'muted');
  const head = spread(filter, [order], columns);
  if (record === undefined) return [head, [], [words('  '), words(emptyText(screen))]];
  const rows = rejectedRows(state, screen);
  const shown = listLines(list, columnsOf(state), { cells: columns, rows });
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
function payloadLines({ payload, text, base64, cut }: RejectedRecord, columns: number): Line[] {
  const kept = payload === undefined ? (text ?? base64 ?? 'The payload was not kept.') : sortedJson(payload);
  const lines = kept.split('\n', MAX_LINES).map((line): Line => [words('  '), span(neutralise(line))]);
  if (cut === true) lines.push([words('  Only the beginning is kept.', 'muted')]);
  return lines.flatMap((line) => wrapLine(line, columns, 2));
}
