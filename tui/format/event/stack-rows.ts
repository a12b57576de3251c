import type { EventNote } from '../../../core/event/note.js';
import { plainText } from '../../../core/event/text.js';
import { frameKey } from '../../../core/fingerprint/stack/frames.js';
import { countOf } from '../../text/counts.js';
import { span } from '../../text/line.js';
import { neutralise } from '../../text/visible.js';
import { wrapLine } from '../../text/wrapped-line.js';
import { wrapRows } from '../../text/wrapped-rows.js';
import type { ShownError, ShownFrame, StackView } from './stack-view.js';

/** A line of a source file below its frame. */
interface SourceLine {
  readonly number: number;
  readonly text: string;
  /** Whether it is the frame's own. */
  readonly isFrameLine: boolean;
}

/** What is below a frame that was opened: lines of its file, or one sentence. */
export type BelowFrame = readonly SourceLine[] | string;

/** A row of the stack. Its texts may come from outside. */
export type StackRow = {
  /** Stays the same while things are folded and unfolded. */
  readonly id: string;
  /** Ids of what has to be unfolded for it to be seen, from the outside in. */
  readonly inside: readonly string[];
  /** What a search looks in. */
  readonly text: string;
} & (
  | { readonly kind: 'error'; readonly error: ShownError; readonly isFolded: boolean }
  | { readonly kind: 'library'; readonly isFolded: boolean }
  | { readonly kind: 'frame'; readonly frame: ShownFrame; readonly isDeciding: boolean }
  | { readonly kind: 'source'; readonly frame: ShownFrame; readonly line: SourceLine }
  | { readonly kind: 'said' | 'text' | 'heading' | 'gap' }
);

export interface StackRowOptions {
  /** Errors and runs of library frames that are not as they are at the start; `all` unfolds everything. */
  toggled: ReadonlySet<string> | 'all';
  /** Undefined where nothing was opened below a frame. */
  below: (id: string, frame: ShownFrame) => BelowFrame | undefined;
  /** Keys of the frames that decided the grouping; empty where they are not known. */
  deciding: ReadonlySet<string>;
  notes: readonly EventNote[];
  hasStack: boolean;
  columns: number;
}

/** Cells of the margin before a row. */
const MARGIN = 2;
/** Rows of a text without frames. */
const MAX_TEXT_ROWS = 5_000;

/** The rows of a stack: what it says as a whole, its errors with their frames, and what was cut or guessed in the event. */
export function stackRows(view: StackView, options: StackRowOptions): readonly StackRow[] {
  const rows: StackRow[] = [plain('text', 'sum', summary(view, options.hasStack))];
  let decided = false;
  for (const [place, error] of view.errors.entries()) {
    const made = errorRows(error, `e${place}`, options);
    rows.push(plain('gap', `e${place}g`, ''));
    for (const row of made) {
      const isDeciding: boolean = row.kind === 'frame' && row.isDeciding && !decided;
      decided ||= isDeciding;
      rows.push(row.kind === 'frame' && row.isDeciding !== isDeciding ? { ...row, isDeciding } : row);
    }
  }
  if (view.text.length > 0) {
    rows.push(plain('gap', 'tg', ''));
    rows.push(...wrapped(view.text, 't', options.columns));
  }
  if (view.isCut) rows.push(plain('text', 'cut', 'The stack is longer; the detail view has all of it.'));
  return [...rows, ...noteRows(options)];
}

function summary({ errors, text }: StackView, hasStack: boolean): string {
  if (!hasStack) return 'This event has no stack.';
  if (errors.length === 0)
    return text.length === 0 ? 'The stack is empty.' : 'No line has the form of a call; the stack as it was sent:';
  const frames = errors.flatMap((error) => error.frames);
  const own = frames.filter(({ frame }) => frame.inApp).length;
  const root = errors.find(({ isRoot }) => isRoot);
  const chain = errors.length === 1 ? '' : ` · ${countOf(errors.length, 'error')}, ${rootWords(root)}`;
  return `${countOf(frames.length, 'call')}, ${own} in the application${chain}`;
}

function rootWords(root: ShownError | undefined): string {
  return root === undefined ? 'no root is known' : `the root is ${root.type ?? 'without a name'}`;
}

function errorRows(error: ShownError, id: string, options: StackRowOptions): readonly StackRow[] {
  const { toggled } = options;
  const isFolded = toggled !== 'all' && toggled.has(id);
  const heading: StackRow = {
    kind: 'error',
    id,
    inside: [],
    text: `${error.type ?? ''}: ${error.message}`,
    error,
    isFolded,
  };
  if (isFolded) return [heading];
  const rows: StackRow[] = [heading];
  const hasOwn = error.frames.some(({ frame }) => frame.inApp);
  for (let place = 0; place < error.frames.length; ) {
    const frame = error.frames[place];
    if (frame === undefined) break;
    if (frame.frame.inApp) {
      rows.push(...frameRows(frame, `${id}f${place}`, [id], options));
      place += 1;
      continue;
    }
    const run = libraryRun(error.frames, place);
    const runId = `${id}l${place}`;
    // Where all of it is libraries, they are all there is to see.
    const isRunFolded = toggled !== 'all' && hasOwn !== toggled.has(runId);
    const text = `${countOf(run.length, 'frame')} of libraries`;
    rows.push({ kind: 'library', id: runId, inside: [id], text, isFolded: isRunFolded });
    if (!isRunFolded) {
      for (const [offset, one] of run.entries()) {
        rows.push(...frameRows(one, `${id}f${place + offset}`, [id, runId], options));
      }
    }
    place += run.length;
  }
  return [...rows, ...error.rest.map((text, place) => ({ ...plain('said', `${id}r${place}`, text), inside: [id] }))];
}

function libraryRun(frames: readonly ShownFrame[], start: number): readonly ShownFrame[] {
  const end = frames.findIndex(({ frame }, place) => place > start && frame.inApp);
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
    plain('heading', 'nh', 'Notes: what was cut or guessed in this event'),
    ...notes.flatMap(({ code, field, reason }, place) =>
      wrapLine([span(neutralise(`${field}: ${reason} (${code})`))], Math.max(1, columns - MARGIN)).map((line, row) =>
        plain('text', `n${place}w${row}`, line.map(({ text }) => text).join('')),
      ),
    ),
  ];
}

function wrapped(lines: readonly string[], id: string, columns: number): readonly StackRow[] {
  const cells = Math.max(1, columns - MARGIN);
  const rows: StackRow[] = [];
  for (const line of lines) {
    const ranges = wrapRows(line, { firstCells: cells, restCells: cells });
    for (let place = 0; rows.length < MAX_TEXT_ROWS; place += 1) {
      const range = ranges.row(place);
      if (range === undefined) break;
      rows.push(plain('text', `${id}w${rows.length}`, line.slice(range.start, range.end)));
    }
  }
  return rows;
}

function plain(kind: 'said' | 'text' | 'heading' | 'gap', id: string, text: string): StackRow {
  return { kind, id, inside: [], text };
}
