import type { QueryCandidate } from '../../core/query/complete-query.js';
import type { Prompt } from '../state/overlay.js';
import type { TerminalState } from '../state/terminal-state.js';
import { cutLine, type Line, lineCells, span, words, wrapLine } from '../text/line.js';
import { cellsOf, cutToCells, literal, neutralise } from '../text/visible.js';
import { titleRule } from './menu.js';

const CURSOR = '█';
/** Blanks before the label and before the rows above it. */
const MARGIN = 1;
const SELECTED = '› ';
/** Where the hint beside the completions begins. */
const HINT_AT = 29;
const MAX_CANDIDATE_ROWS = 6;
const MAX_CANDIDATE_CELLS = 60;
/** Rows of the reason for a rejected text. */
const MAX_REASON_ROWS = 3;

/** The rows of a prompt: completions, the problem or the hint, and the text. */
export function promptLines(prompt: Prompt<TerminalState>, state: TerminalState): readonly Line[] {
  const { columns } = state.size;
  const typed = typedLine(prompt, columns);
  const { problem, spec } = prompt;
  const lines: Line[] = spec.title === undefined ? candidateLines(prompt, typed, state) : [];
  if (problem !== undefined) {
    const cell = problem.column === undefined ? undefined : typed.cellOf(problem.column - 1);
    if (cell !== undefined) lines.push([words(`${' '.repeat(Math.min(cell, columns - 1))}v`, 'error')]);
    const reason: Line = [words(' '.repeat(MARGIN)), span(neutralise(problem.reason), 'error')];
    lines.push(...wrapLine(reason, columns, MARGIN).slice(0, MAX_REASON_ROWS));
  } else {
    const hint = spec.hint?.(state, prompt.draft);
    if (spec.title !== undefined) {
      const rows = [titleRule(spec.title, columns), typed.line, namesLine(prompt, hint ?? '', state)];
      return rows.map((line) => cutLine(line, columns));
    }
    if (hint !== undefined && hint !== '') lines.push([words(' '), span(neutralise(hint), 'muted')]);
  }
  return [...lines, typed.line].map((line) => cutLine(line, columns));
}

/** `Tab` with as many whole names as fit, the user's marked as such, and the hint. */
function namesLine(
  { completion, draft, cursor, spec }: Prompt<TerminalState>,
  hint: string,
  state: TerminalState,
): Line {
  const [{ me }] = state.stack;
  const { candidates, selected } = completion ?? {
    candidates: [],
    selected: -1,
    ...spec.complete?.(state, draft, cursor),
  };
  let line: Line = [words('   Tab', 'muted')];
  for (const [index, { text }] of candidates.entries()) {
    const name = span(cutToCells(text, MAX_CANDIDATE_CELLS), index === selected ? 'selected' : 'label');
    const longer = [...line, words('  '), name, ...(text === me ? [words(' (you)', 'muted')] : [])];
    if (lineCells(longer) + hint.length + 2 > state.size.columns) break;
    line = longer;
  }
  const gap = ' '.repeat(Math.max(2, HINT_AT - lineCells(line)));
  return [...line, words(gap), span(neutralise(hint), 'muted')];
}

interface TypedLine {
  readonly line: Line;
  /** The cell of a UTF-16 offset of the draft; undefined if it is not visible. */
  cellOf(offset: number): number | undefined;
}

/** The text of a prompt in one row: the label and the part of the draft that fits, around the problem or the cursor. */
export function typedLine({ spec, draft, cursor, problem }: Prompt<TerminalState>, columns: number): TypedLine {
  const label = neutralise(`${' '.repeat(MARGIN)}${spec.label}`);
  const labelCells = cellsOf(label);
  const room = Math.max(8, columns - labelCells - 2);
  const target = Math.min((problem?.column ?? cursor + 1) - 1, draft.length);
  const around = firstVisible(draft, cursor, room);
  const isVisible = target >= around && cellsOf(neutralise(draft.slice(around, target))) <= room;
  const from = isVisible ? around : firstVisible(draft, target, Math.floor(room / 2));
  const isCursorSeen = cursor >= from && cellsOf(neutralise(draft.slice(from, cursor))) <= room;
  const before = isCursorSeen ? neutralise(draft.slice(from, cursor)) : literal('');
  const at = isCursorSeen ? ([...draft.slice(cursor, cursor + 2)][0] ?? '') : '';
  const after = cutToCells(
    draft.slice(isCursorSeen ? cursor + at.length : from),
    Math.max(0, room + (isCursorSeen ? 0 : 1) - cellsOf(before)),
  );
  const cursorSpan = at === '' ? words(CURSOR) : span(neutralise(at), 'selected');
  return {
    line: [span(label, 'label'), span(before), ...(isCursorSeen ? [cursorSpan] : []), span(after)],
    cellOf: (offset) => {
      if (offset < from) return undefined;
      const cells = cellsOf(neutralise(draft.slice(from, offset)));
      return cells > room ? undefined : labelCells + cells;
    },
  };
}

function firstVisible(draft: string, offset: number, room: number): number {
  let from = Math.max(0, offset - room);
  while (from < offset && (isLowHalf(draft, from) || cellsOf(neutralise(draft.slice(from, offset))) > room)) from += 1;
  return from;
}

function isLowHalf(text: string, offset: number): boolean {
  const unit = text.charCodeAt(offset);
  return offset > 0 && unit >= 0xdc00 && unit <= 0xdfff;
}

/** Candidates are aligned with the word that they complete. */
function candidateLines({ completion }: Prompt<TerminalState>, typed: TypedLine, state: TerminalState): Line[] {
  if (completion === undefined) return [];
  const { candidates, selected } = completion;
  const rows = Math.min(candidates.length, MAX_CANDIDATE_ROWS, Math.max(1, Math.floor(state.size.rows / 3)));
  const top = Math.max(0, Math.min(selected - Math.floor(rows / 2), candidates.length - rows));
  const shown = candidates.slice(top, top + rows);
  const cells = Math.max(0, ...shown.map(({ text }) => cellsOf(cutToCells(text, MAX_CANDIDATE_CELLS))));
  const wordCell = typed.cellOf(completion.from) ?? 0;
  const margin = Math.max(MARGIN, Math.min(wordCell - SELECTED.length, state.size.columns - cells - 4));
  return shown.map((candidate, index) => candidateLine(candidate, top + index === selected, { cells, margin }));
}

function candidateLine(
  { text, kind }: QueryCandidate,
  isSelected: boolean,
  { cells, margin }: { cells: number; margin: number },
): Line {
  const shown = cutToCells(text, MAX_CANDIDATE_CELLS);
  const padded = literal(shown + ' '.repeat(Math.max(0, cells - cellsOf(shown))));
  const meaning = kind === 'field' ? 'label' : 'plain';
  return [
    words(' '.repeat(margin)),
    words(isSelected ? SELECTED : '  ', isSelected ? 'selected' : 'plain'),
    span(padded, isSelected ? 'selected' : meaning),
  ];
}
