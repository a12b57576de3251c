import type { FingerprintBasis } from '../../../core/fingerprint/fingerprint.js';
import { type Line, type Span, span, words } from '../../text/line.js';
import { cellsOf, cutToCells, fitToCells, neutralise } from '../../text/visible.js';
import { decidingKeys, type StackRow, stackRows } from './stack-rows.js';
import { type ShownFrame, stackView } from './stack-view.js';

/** Rows of a stack that a summary can show. */
const MAX_ROWS = 100;
const MAX_NAME_CELLS = 40;
/** Names of folders that hold the sources of a package. */
const SOURCE_FOLDERS = /^(?:src|lib|app|dist)[\\/]/;

/** The rows of a stack with its library frames folded; empty without frames. */
export function summaryRows(stack: string | null, basis: FingerprintBasis | undefined): readonly StackRow[] {
  const rows = stackRows(stackView(stack ?? ''), {
    toggled: new Set(),
    below: () => undefined,
    deciding: decidingKeys(basis),
    notes: [],
    hasStack: stack !== null,
    columns: 100,
  });
  return rows.filter(isSummarized).slice(0, MAX_ROWS);
}

/** A stack without a header has an error without type and message. */
function isSummarized({ kind, text }: StackRow): boolean {
  return kind === 'frame' || kind === 'library' || (kind === 'error' && text.trim() !== ':');
}

/** Without the line of the error, which often differs from the message of the event, unless it has causes. */
export function withoutLoneError(rows: readonly StackRow[]): readonly StackRow[] {
  const isChain = rows.filter(({ kind }) => kind === 'error').length > 1;
  return isChain ? rows : rows.filter(({ kind }) => kind !== 'error');
}

/** A stack in short: each call with its file and line, at most `cells` wide. */
export function stackSummary(rows: readonly StackRow[], cells: number): Line[] {
  const names = rows.map((row) => (row.kind === 'frame' ? cellsOf(neutralise(nameOf(row.frame))) : 0));
  const nameCells = Math.min(Math.max(0, ...names), MAX_NAME_CELLS, Math.floor(cells / 2));
  return rows.map((row): Line => {
    switch (row.kind) {
      case 'error':
        return [span(cutToCells(row.text, cells), 'error')];
      case 'frame':
        return frameLine(row.frame, nameCells, row.isDeciding);
      default:
        return [words('  '), span(cutToCells(row.text, cells - 2), 'muted')];
    }
  });
}

/** The calls of a stack as text, `function (file:line:column)`; `hasPaths` keeps the folders of files. */
export function stackTexts(rows: readonly StackRow[], hasPaths: boolean): string[] {
  return rows.map((row) => {
    if (row.kind !== 'frame') return 'text' in row ? row.text : '';
    const { location, frame } = row.frame;
    const path = hasPaths && location !== undefined ? [location.path, location.line, frame.column] : undefined;
    const place = path?.filter((part) => part !== null).join(':') ?? placeOf(row.frame);
    return `${nameOf(row.frame)} (${place})`;
  });
}

function frameLine(frame: ShownFrame, nameCells: number, isDeciding: boolean): Line {
  const isOwn = frame.frame.inApp;
  const meaning = isOwn ? 'in_app' : 'muted';
  const groups: Span[] = isDeciding ? [words('    groups this issue', 'label')] : [];
  return [
    words(isOwn ? '• ' : '  '),
    span(fitToCells(nameOf(frame), nameCells), meaning),
    words('  '),
    span(neutralise(placeOf(frame)), 'muted'),
    ...groups,
  ];
}

function nameOf({ text, frame }: ShownFrame): string {
  const place = text.endsWith(')') ? text.lastIndexOf(' (') : -1;
  return place > 0 ? text.slice(0, place) : (frame.function ?? text);
}

/** The file with its folder, line and column. */
function placeOf({ location, frame }: ShownFrame): string {
  if (location === undefined) return frame.file ?? '';
  const file = location.path.split(/[\\/]/).slice(-2).join('/').replace(SOURCE_FOLDERS, '');
  return `${file}:${location.line}${frame.column === null ? '' : `:${frame.column}`}`;
}
