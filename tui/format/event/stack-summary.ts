import type { FingerprintBasis } from '../../../core/fingerprint/fingerprint.js';
import type { EventDetail } from '../../../generated/reader-answers.js';
import { type Line, lineCells, type Meaning, type Span, span, spread, words } from '../../text/line.js';
import { cellsOf, cutToCells, endInCells, fitToCells, literal, neutralise, type Visible } from '../../text/visible.js';
import { decidingKeys, type StackRow, stackRows } from './stack-rows.js';
import { type ShownFrame, stackView } from './stack-view.js';

/** Rows of a stack that a summary can show. */
const MAX_ROWS = 100;
const MAX_NAME_CELLS = 40;
/** Names of folders that hold the sources of a package. */
const SOURCE_FOLDERS = /^(?:src|lib|app|dist)[\\/]/;

/** A package before the class of a call. */
const JVM_PACKAGE = /^(?:[a-z_]\w*\.)+(?=[A-Z])/;

/** The rows of the stack of an event with its library frames folded; empty without frames. */
export function summaryRows(event: EventDetail | undefined, basis: FingerprintBasis | undefined): readonly StackRow[] {
  const { stack = null, release = null } = event?.normalized ?? {};
  const rows = stackRows(stackView(stack ?? '', release), {
    toggled: new Set(),
    below: () => undefined,
    deciding: decidingKeys(basis),
    notes: [],
    hasStack: stack !== null,
    columns: 100,
  });
  return rows.filter(isSummarized).slice(0, MAX_ROWS);
}

/** Whether a row belongs to a summary. A stack without a header has an error without type and message. */
export function isSummarized({ kind, text }: StackRow): boolean {
  return kind === 'frame' || kind === 'library' || (kind === 'error' && text.trim() !== ':');
}

/** Without the line of the error, which often differs from the message of the event, unless it has causes. */
export function withoutLoneError(rows: readonly StackRow[]): readonly StackRow[] {
  const isChain = rows.filter(({ kind }) => kind === 'error').length > 1;
  return isChain ? rows : rows.filter(({ kind }) => kind !== 'error');
}

type FrameRow = Extract<StackRow, { kind: 'frame' }>;

/** A stack in short: each call with its file and line, at most `cells` wide. */
export function stackSummary(rows: readonly StackRow[], cells: number): Line[] {
  const nameCells = nameCellsOf(rows, cells);
  return rows.map((row) => (row.kind === 'frame' ? frameLine(row, { nameCells, cells }) : errorOrRun(row, cells)));
}

/** A stack for a narrow column: each call in one row, its file and line in the next. */
export function narrowStack(rows: readonly StackRow[], cells: number): Line[] {
  return rows.flatMap((row): Line[] => {
    if (row.kind !== 'frame') return [errorOrRun(row, cells)];
    if (!hasColumns(row)) return [frameLine(row, { nameCells: 0, cells })];
    const { frame } = row;
    const name = span(cutToCells(nameOf(frame), cells - 2), meaningOf(frame));
    return [
      spread([bullet(frame), name], groupsMark(row), cells),
      [words('    '), placed(frame, span(endOf(neutralise(placeOf(frame)), cells - 4), 'muted'))],
    ];
  });
}

/** A call in columns, with the file and its folder or the whole path, as far as it has room. */
export function frameLine(row: FrameRow, { nameCells, cells, hasPath = false, isSelected = false }: FrameLook): Line {
  const { frame } = row;
  const [meaning, muted]: Meaning[] = isSelected ? ['selected', 'selected'] : [meaningOf(frame), 'muted'];
  const mark = groupsMark(row);
  const room = cells - 2 - lineCells(mark);
  if (!hasColumns(row)) return [bullet(frame), span(cutToCells(frame.text, room), meaning), ...mark];
  const place = endOf(neutralise(placeOf(frame, hasPath)), room - nameCells - 2);
  return [
    bullet(frame),
    span(fitToCells(nameOf(frame), nameCells), meaning),
    words('  '),
    placed(frame, span(place, muted)),
    ...mark,
  ];
}

interface FrameLook {
  readonly nameCells: number;
  readonly cells: number;
  readonly hasPath?: boolean;
  readonly isSelected?: boolean;
}

/** Cells of the names of calls: as many as the longest needs, at most half of a row. */
export function nameCellsOf(rows: readonly StackRow[], cells: number): number {
  const names = rows.map((row) => (hasColumns(row) ? cellsOf(neutralise(nameOf(row.frame))) : 0));
  return Math.min(Math.max(0, ...names), MAX_NAME_CELLS, Math.floor(cells / 2));
}

/** The calls of a stack for print, `function (file:line:column)`; `hasPaths` keeps the folders of files. */
export function printedCalls(rows: readonly StackRow[], hasPaths: boolean): Line[] {
  return rows.map((row) => {
    if (row.kind !== 'frame') return [span(neutralise(row.text))];
    const { frame } = row;
    const place = placed(frame, span(neutralise(placeOf(frame, hasPaths))));
    return [span(neutralise(`${nameOf(frame)} (`)), place, words(')')];
  });
}

function hasColumns(row: StackRow): row is FrameRow {
  return row.kind === 'frame' && row.frame.frame.function !== null && placeOf(row.frame) !== '';
}

function errorOrRun({ kind, text }: StackRow, cells: number): Line {
  if (kind === 'error') return [span(cutToCells(text, cells), 'error')];
  return [words('  '), span(cutToCells(text, cells - 2), 'muted')];
}

function bullet({ frame }: ShownFrame): Span {
  return words(frame.inApp ? '• ' : '  ');
}

function meaningOf({ frame }: ShownFrame): Meaning {
  return frame.inApp ? 'in_app' : 'muted';
}

function groupsMark({ isDeciding }: FrameRow): Line {
  return isDeciding ? [words('    groups this issue', 'label')] : [];
}

function nameOf({ text, frame }: ShownFrame): string {
  const place = text.endsWith(')') ? text.lastIndexOf('(') : -1;
  if (place <= 0) return frame.function ?? text;
  // The path of the file repeats the package of a JVM class.
  return text[place - 1] === ' ' ? text.slice(0, place - 1) : text.slice(0, place).replace(JVM_PACKAGE, '');
}

function placed({ location, frame, release }: ShownFrame, shown: Span): Span {
  return location === undefined ? shown : { ...shown, place: { ...location, column: frame.column, release } };
}

function endOf(path: Visible, cells: number): Visible {
  return cellsOf(path) <= cells ? path : literal(`…${endInCells(path, cells - 1)}`);
}

function placeOf({ location, frame }: ShownFrame, hasPath = false): string {
  if (location === undefined) return frame.file ?? '';
  const { path, line } = location;
  const file = hasPath ? path : path.split(/[\\/]/).slice(-2).join('/').replace(SOURCE_FOLDERS, '');
  return `${file}:${line}${frame.column === null ? '' : `:${frame.column}`}`;
}
