import type { QueryCandidate, QueryCompletion } from '../../../core/query/complete-query.js';
import { typedLine } from '../../overlays/prompt-lines.js';
import { listedTab } from '../../state/issue-tabs.js';
import { type IssuesScreen, isSameSource } from '../../state/issues-state.js';
import type { Prompt } from '../../state/overlay.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { fullCount, shortCount } from '../../text/counts.js';
import { cutLine, type Line, lineCells, span, spread, words } from '../../text/line.js';
import { cutToCells, literal, neutralise } from '../../text/visible.js';
import { type FilterDraft, shownValue, typedField } from './filter-draft.js';
import { draftOf, filterCompletion, valueKey } from './filter-prompt.js';

const MAX_CANDIDATE_CELLS = 40;
const MARGIN = words('   ');

/** The rows of a filter that is being typed: its text with the count, and completions or the mistake. */
export function filterRows(
  screen: IssuesScreen,
  prompt: Prompt<TerminalState>,
  order: Line,
  columns: number,
): readonly [Line, Line] {
  const { draft, cursor } = prompt;
  const typed = typedField(draft, cursor);
  const values = (typed && screen.values.get(valueKey(screen, typed))) ?? [];
  const isWide = listedTab(screen.wanted) !== screen.wanted.tab;
  return typedRows({
    prompt,
    draft: draftOf(screen, prompt),
    right: [...countLine(screen, prompt), ...order],
    completion: filterCompletion(screen, draft, cursor),
    fields: 'level:  service:  is:',
    note: isWide ? [words('Searching all issues: the filter names a state.', 'muted'), words('    ')] : [],
    countOf: (name) => values.find(({ value }) => shownValue(typed?.field ?? '', value) === name)?.count,
    columns,
  });
}

/** A filter that is being typed, as its rows show it. */
export interface TypedFilter {
  readonly prompt: Prompt<TerminalState>;
  readonly draft: FilterDraft;
  /** Beside the text. */
  readonly right: Line;
  /** The candidates until Tab chooses one. */
  readonly completion: QueryCompletion;
  /** Fields to begin with. */
  readonly fields: string;
  /** Before the candidates. */
  readonly note?: Line;
  /** The count of a value; absent: they have none. */
  readonly countOf?: (value: string) => number | undefined;
  readonly columns: number;
}

/** The typed text, and below it completions or the mistake. */
export function typedRows(filter: TypedFilter): readonly [Line, Line] {
  const { prompt, draft, right, note = [], columns } = filter;
  const typed = typedLine(prompt, columns - lineCells(right));
  const row = spread(typed.line, right, columns);
  if (draft.kind === 'mistake') {
    const cell = (draft.column === undefined ? undefined : typed.cellOf(draft.column - 1)) ?? lineCells([MARGIN]);
    const mark = words(`${' '.repeat(Math.min(cell, columns / 2))}^ `, 'error');
    return [row, cutLine([mark, span(neutralise(draft.reason), 'error')], columns)];
  }
  return [row, cutLine([MARGIN, ...note, ...completionLine(filter)], columns)];
}

function countLine(screen: IssuesScreen, prompt: Prompt<TerminalState>): Line {
  const { unfiltered, wanted, shown, isSlow, total } = screen;
  if (unfiltered === undefined) return [];
  const draft = draftOf(screen, prompt);
  const isCurrent = isSameSource(wanted, shown);
  const found = draft.kind === 'mistake' ? '0' : isSlow && !isCurrent ? '…' : fullCount(total);
  return [span(literal(`${found} of ${fullCount(unfiltered[listedTab(wanted)])}    `))];
}

/** What completes the text: `Tab` with the candidates and their counts, or what is missing. */
function completionLine(filter: TypedFilter): Line {
  const { prompt, draft, completion, fields } = filter;
  const { candidates } = prompt.completion ?? completion;
  const word = prompt.draft.slice(0, prompt.cursor).split(/[\s(]/).at(-1) ?? '';
  const isField = typedField(prompt.draft, prompt.cursor) !== undefined;
  const isValue = word.includes(':') && (isField || candidates.length > 0);
  if (draft.kind === 'unfinished' && !isValue) {
    const shown = draft.shown === '' ? '' : ` Showing ${draft.shown}.`;
    return [span(neutralise(`Add ${draft.missing}.${shown}`), 'muted')];
  }
  if (prompt.draft.trim() === '') return [words(`Tab  ${fields}  or search for text`, 'muted')];
  if (word === '' || (/[:"]/.test(word) && !isValue)) return [words('Tab  AND OR NOT, a field, or text', 'muted')];
  return candidatesLine(filter, word, isValue);
}

function candidatesLine({ prompt, completion, countOf }: TypedFilter, word: string, isValue: boolean): Line {
  const { candidates, selected } = prompt.completion ?? { ...completion, selected: -1 };
  const search = isValue || selected >= 0 ? [] : [span(neutralise(`or search for the text "${word}"`), 'muted')];
  if (candidates.length === 0) return search;
  const isLevel = typedField(prompt.draft, prompt.cursor)?.field === 'level';
  const listed = candidates.flatMap((candidate, index) => {
    if (isLevel && candidate.kind === 'operator') return [];
    return candidateSpans(candidate, index === selected, countOf?.(candidate.text));
  });
  const examples = isLevel && word.endsWith(':') ? levelExamples(candidates) : [];
  return [words('Tab  ', 'muted'), ...listed, ...search, ...examples];
}

/** Other ways to choose levels, from the first two that are offered. */
function levelExamples([first, second]: readonly QueryCandidate[]): Line {
  if (first?.kind !== 'value' || second?.kind !== 'value') return [];
  return [span(neutralise(`     also >=warn, [${first.text}, ${second.text}]`), 'muted')];
}

function candidateSpans({ text, kind }: QueryCandidate, isSelected: boolean, count: number | undefined): Line {
  const name = span(cutToCells(text, MAX_CANDIDATE_CELLS), isSelected ? 'selected' : 'label');
  const counted = count === undefined ? [] : [words(' '), span(shortCount(count))];
  return [name, ...counted, words(kind === 'field' ? '  ' : '   ')];
}
