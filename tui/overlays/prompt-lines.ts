import type { QueryCandidate } from '../../core/query/complete-query.js';
import { cutLine, type Line, span, words } from '../format/line.js';
import { cellsOf, cutToCells, neutralise, ownWords } from '../format/visible.js';
import type { Prompt } from '../state/overlay.js';
import type { TerminalState } from '../state/terminal-state.js';

const CURSOR = '█';
/** Blanks before the prompt's label, and before what stands above it. */
const MARGIN = 1;
const MAX_CANDIDATE_ROWS = 6;
const MAX_CANDIDATE_CELLS = 60;

/** The prompt at the bottom: what may stand at the cursor, why the text was refused or what it would do, and the text itself. */
export function promptLines(prompt: Prompt<TerminalState>, state: TerminalState): readonly Line[] {
  const { columns } = state.size;
  const typed = typedLine(prompt, columns);
  const { problem, spec } = prompt;
  const lines: Line[] = [...candidateLines(prompt, typed.cursorCell, state)];
  if (problem !== undefined) {
    const place = problem.column === undefined ? undefined : typed.cellOf(problem.column - 1);
    if (place !== undefined) lines.push([words(`${' '.repeat(Math.min(place, columns - 1))}v`, 'error')]);
    lines.push([words(' '), span(neutralise(problem.reason), 'error')]);
  } else {
    const hint = spec.hint?.(state, prompt.draft);
    if (hint !== undefined && hint !== '') lines.push([words(' '), span(neutralise(hint), 'muted')]);
  }
  return [...lines, typed.line].map((line) => cutLine(line, columns));
}

interface TypedLine {
  readonly line: Line;
  readonly cursorCell: number;
  /** The cell of a UTF-16 offset of the draft; undefined where it is not visible. */
  cellOf(offset: number): number | undefined;
}

/** The label and the part of the draft around the cursor that there is room for. */
function typedLine({ spec, draft, cursor }: Prompt<TerminalState>, columns: number): TypedLine {
  const label = ownWords(`${' '.repeat(MARGIN)}${spec.label}`);
  const labelCells = cellsOf(label);
  const room = Math.max(8, columns - labelCells - 2);
  const from = firstVisible(draft, cursor, room);
  const before = neutralise(draft.slice(from, cursor));
  const at = neutralise([...draft.slice(cursor, cursor + 2)][0] ?? ' ');
  const after = cutToCells(
    draft.slice(Math.min(draft.length, cursor + ([...draft.slice(cursor, cursor + 2)][0]?.length ?? 0))),
    Math.max(0, room - cellsOf(before)),
  );
  const atEnd = cursor >= draft.length;
  return {
    line: [span(label, 'label'), span(before), atEnd ? words(CURSOR) : span(at, 'selected'), span(after)],
    cursorCell: labelCells + cellsOf(before),
    cellOf: (offset) => {
      if (offset < from) return undefined;
      const cells = cellsOf(neutralise(draft.slice(from, offset)));
      return cells > room ? undefined : labelCells + cells;
    },
  };
}

/** A long draft is cut at its start, so that the cursor is visible. */
function firstVisible(draft: string, cursor: number, room: number): number {
  let from = Math.max(0, cursor - room);
  while (from < cursor && cellsOf(neutralise(draft.slice(from, cursor))) > room) from += 1;
  return from;
}

/** Candidates stand above the word that they complete. */
function candidateLines({ completion }: Prompt<TerminalState>, cursorCell: number, state: TerminalState): Line[] {
  if (completion === undefined) return [];
  const { candidates, selected } = completion;
  const rows = Math.min(candidates.length, MAX_CANDIDATE_ROWS, Math.max(1, Math.floor(state.size.rows / 3)));
  const top = Math.max(0, Math.min(selected - Math.floor(rows / 2), candidates.length - rows));
  const shown = candidates.slice(top, top + rows);
  const cells = Math.max(...shown.map(({ text }) => cellsOf(cutToCells(text, MAX_CANDIDATE_CELLS))));
  const margin = Math.max(MARGIN, Math.min(cursorCell - 1, state.size.columns - cells - 4));
  return shown.map((candidate, place) => candidateLine(candidate, top + place === selected, { cells, margin }));
}

function candidateLine(
  { text, kind }: QueryCandidate,
  isSelected: boolean,
  { cells, margin }: { cells: number; margin: number },
): Line {
  const shown = cutToCells(text, MAX_CANDIDATE_CELLS);
  const padded = ownWords(shown + ' '.repeat(Math.max(0, cells - cellsOf(shown))));
  const meaning = kind === 'field' ? 'label' : 'plain';
  return [
    words(' '.repeat(margin)),
    words(isSelected ? '› ' : '  ', isSelected ? 'selected' : 'plain'),
    span(padded, isSelected ? 'selected' : meaning),
  ];
}
