import type { EventNote } from '../../../core/event/note.js';
import { plainText } from '../../../core/event/text.js';
import type { FingerprintBasis } from '../../../core/fingerprint/fingerprint.js';
import { frameKey } from '../../../core/fingerprint/stack/frames.js';
import { countWithNoun } from '../../text/counts.js';
import { span, wrapLine } from '../../text/line.js';
import { neutralise } from '../../text/visible.js';
import { WrappedRows } from '../../text/wrapped-rows.js';
import type { ShownError, ShownFrame, StackView } from './stack-view.js';

interface SourceLine {
  readonly number: number;
  readonly text: string;
  /** Whether it is the line of the frame itself. */
  readonly isFrameLine: boolean;
}

/** Content below an opened frame: lines of its file, or one sentence. */
export type BelowFrame = readonly SourceLine[] | string;

/** A row of the stack; its texts are untrusted. */
export type StackRow = {
  /** Stable while rows are folded and unfolded. */
  readonly id: string;
  /** Ids of the rows to unfold before it is visible, outermost first. */
  readonly inside: readonly string[];
  /** The text for search. */
  readonly text: string;
} & (
  | { readonly kind: 'error'; readonly error: ShownError; readonly isFolded: boolean }
  | { readonly kind: 'library'; readonly isFolded: boolean }
  | { readonly kind: 'frame'; readonly frame: ShownFrame; readonly isDeciding: boolean }
  | { readonly kind: 'source'; readonly frame: ShownFrame; readonly line: SourceLine }
  | { readonly kind: 'said' | 'text' | 'heading' | 'gap' }
);

export interface StackRowOptions {
  /** Ids of errors and runs of library frames that differ from their initial folding; `all` unfolds everything. */
  toggled: ReadonlySet<string> | 'all';
  /** Returns undefined if the frame is not opened. */
  below: (id: string, frame: ShownFrame) => BelowFrame | undefined;
  /** Keys of the frames that decided the grouping; empty if unknown. */
  deciding: ReadonlySet<string>;
  notes: readonly EventNote[];
  hasStack: boolean;
  columns: number;
}

const NOTHING: ReadonlySet<string> = new Set();
/** Cells before a row. */
const MARGIN = 2;
const MAX_TEXT_ROWS = 5_000;

/** The rows of a stack: a summary, its errors with their frames, and the notes of the event. */
export function stackRows(view: StackView, options: StackRowOptions): readonly StackRow[] {
  const rows: StackRow[] = [plain('text', 'sum', summary(view, options.hasStack))];
  let isDecided = false;
  for (const [index, error] of view.errors.entries()) {
    rows.push(plain('gap', `e${index}g`, ''));
    for (const row of errorRows(error, `e${index}`, options)) {
      // Only the first matching frame decides.
      const isDeciding: boolean = row.kind === 'frame' && row.isDeciding && !isDecided;
      isDecided ||= isDeciding;
      rows.push(row.kind === 'frame' && row.isDeciding !== isDeciding ? { ...row, isDeciding } : row);
    }
  }
  if (view.text.length > 0) {
    rows.push(plain('gap', 'tg', ''));
    rows.push(...wrapped(view.text, 't', options.columns));
  }
  if (view.isCut) rows.push(plain('text', 'cut', 'The stack is longer; the detail view shows all of it.'));
  return [...rows, ...noteRows(options)];
}

function summary({ errors, text }: StackView, hasStack: boolean): string {
  if (!hasStack) return 'No stack.';
  if (errors.length === 0)
    return text.length === 0 ? 'The stack is empty.' : 'No line is a stack frame; the stack as received:';
  const frames = errors.flatMap((error) => error.frames);
  const own = frames.filter(({ frame }) => frame.inApp).length;
  const root = errors.find(({ isRoot }) => isRoot);
  const chain = errors.length === 1 ? '' : ` · ${countWithNoun(errors.length, 'error')}, ${rootWords(root)}`;
  const share = own < frames.length || own < 2 ? own : own === 2 ? 'both' : 'all';
  return `${countWithNoun(frames.length, 'call')}, ${share} in the application${chain}`;
}

function rootWords(root: ShownError | undefined): string {
  return root === undefined ? 'root cause unknown' : `the root is ${root.type ?? 'without a name'}`;
}

function errorRows(error: ShownError, id: string, options: StackRowOptions): readonly StackRow[] {
  const { toggled } = options;
  const isFolded = toggled !== 'all' && toggled.has(id);
  const text = `${error.type ?? ''}: ${error.message}`;
  const rows: StackRow[] = [{ kind: 'error', id, inside: [], text, error, isFolded }];
  if (isFolded) return rows;
  const hasOwn = error.frames.some(({ frame }) => frame.inApp);
  for (let index = 0; index < error.frames.length; ) {
    const frame = error.frames[index];
    if (frame === undefined) break;
    if (frame.frame.inApp) {
      rows.push(...frameRows(frame, `${id}f${index}`, [id], options));
      index += 1;
      continue;
    }
    const run = libraryRun(error.frames, index);
    const runId = `${id}l${index}`;
    // An error without application frames shows its library frames.
    const isRunFolded = toggled !== 'all' && hasOwn !== toggled.has(runId);
    const text = `${countWithNoun(run.length, 'frame')} of libraries`;
    rows.push({ kind: 'library', id: runId, inside: [id], text, isFolded: isRunFolded });
    if (!isRunFolded) {
      for (const [offset, one] of run.entries()) {
        rows.push(...frameRows(one, `${id}f${index + offset}`, [id, runId], options));
      }
    }
    index += run.length;
  }
  return [...rows, ...error.rest.map((text, index) => ({ ...plain('said', `${id}r${index}`, text), inside: [id] }))];
}

function libraryRun(frames: readonly ShownFrame[], start: number): readonly ShownFrame[] {
  const end = frames.findIndex(({ frame }, index) => index > start && frame.inApp);
  return frames.slice(start, end < 0 ? frames.length : end);
}

function frameRows(
  frame: ShownFrame,
  id: string,
  inside: readonly string[],
  options: StackRowOptions,
): readonly StackRow[] {
  const isDeciding = options.deciding.size > 0 && options.deciding.has(plainText(frameKey(frame.frame)));
  const row: StackRow = { kind: 'frame', id, inside, text: frame.text, frame, isDeciding };
  const below = options.below(id, frame);
  if (below === undefined) return [row];
  if (typeof below === 'string') return [row, { ...plain('said', `${id}s`, below), inside }];
  const lines = below.map(
    (line): StackRow => ({ kind: 'source', id: `${id}s${line.number}`, inside, text: line.text, frame, line }),
  );
  return [row, ...lines];
}

function noteRows({ notes, columns }: StackRowOptions): readonly StackRow[] {
  if (notes.length === 0) return [];
  return [
    plain('gap', 'ng', ''),
    plain('heading', 'nh', 'Notes: what was cut or guessed'),
    ...notes.flatMap(({ code, field, reason }, index) =>
      wrapLine([span(neutralise(`${field}: ${reason} (${code})`))], Math.max(1, columns - MARGIN)).map((line, row) =>
        plain('text', `n${index}w${row}`, line.map(({ text }) => text).join('')),
      ),
    ),
  ];
}

function wrapped(lines: readonly string[], id: string, columns: number): readonly StackRow[] {
  const cells = Math.max(1, columns - MARGIN);
  const rows: StackRow[] = [];
  for (const line of lines) {
    const ranges = new WrappedRows(line, { firstCells: cells, restCells: cells });
    for (let index = 0; rows.length < MAX_TEXT_ROWS; index += 1) {
      const range = ranges.row(index);
      if (range === undefined) break;
      rows.push(plain('text', `${id}w${rows.length}`, line.slice(range.start, range.end)));
    }
  }
  return rows;
}

function plain(kind: 'said' | 'text' | 'heading' | 'gap', id: string, text: string): StackRow {
  return { kind, id, inside: [], text };
}

/** Keys of the deciding frames; empty if no frame decided. */
export function decidingKeys(basis: FingerprintBasis | undefined): ReadonlySet<string> {
  const value = basis?.parts.find(({ part, used }) => used && part === 'frames')?.value;
  if (!Array.isArray(value)) return NOTHING;
  return new Set(value.filter((key) => typeof key === 'string'));
}
