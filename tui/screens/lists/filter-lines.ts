import type { QueryCandidate } from '../../../core/query/complete-query.js';
import { typedLine } from '../../overlays/prompt-lines.js';
import { listedTab } from '../../state/issue-tabs.js';
import { type IssuesScreen, isSameSource } from '../../state/issues-state.js';
import type { Prompt } from '../../state/overlay.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { fullCount, shortCount } from '../../text/counts.js';
import { cutLine, type Line, lineCells, span, spread, words } from '../../text/line.js';
import { cutToCells, literal, neutralise } from '../../text/visible.js';
import { shownValue, typedField } from './filter-draft.js';
import { draftOf, filterCompletion, valueKey } from './filter-prompt.js';

/** Candidates are cut to this. */
const MAX_CANDIDATE_CELLS = 40;
const MARGIN = words('   ');

/** The rows of a filter that is being typed: its text with the count, and completions or the mistake. */
export function filterRows(
  screen: IssuesScreen,
  prompt: Prompt<TerminalState>,
  order: Line,
  columns: number,
): readonly [Line, Line] {
  const count = countLine(screen, prompt);
  const right = [...count, ...order];
  const typed = typedLine(prompt, columns - lineCells(right));
  const draft = draftOf(screen, prompt);
  const row = spread(typed.line, right, columns);
  if (draft.kind === 'mistake') {
    const cell = (draft.column === undefined ? undefined : typed.cellOf(draft.column - 1)) ?? lineCells([MARGIN]);
    const mark = words(`${' '.repeat(Math.min(cell, columns / 2))}^ `, 'error');
    return [row, cutLine([mark, span(neutralise(draft.reason), 'error')], columns)];
  }
  const tab = completionLine(screen, prompt);
  if (draft.kind === 'unfinished' && typedField(prompt.draft, prompt.cursor) === undefined) {
    const shown = draft.shown === '' ? '' : ` Showing ${draft.shown}.`;
    return [row, cutLine([MARGIN, span(neutralise(`Add ${draft.missing}.${shown}`), 'muted')], columns)];
  }
  const isWide = listedTab(screen.wanted) !== screen.wanted.tab;
  const wide = isWide ? [MARGIN, words('Searching all issues: the filter names a state.', 'muted'), words('    ')] : [];
  return [row, cutLine([...wide, ...tab], columns)];
}

function countLine(screen: IssuesScreen, prompt: Prompt<TerminalState>): Line {
  const { unfiltered, wanted, shown, isSlow, total } = screen;
  if (unfiltered === undefined) return [];
  const draft = draftOf(screen, prompt);
  const isCurrent = isSameSource(wanted, shown);
  const found = draft.kind === 'mistake' ? '0' : isSlow && !isCurrent ? '…' : fullCount(total);
  return [span(literal(`${found} of ${fullCount(unfiltered[listedTab(wanted)])}    `))];
}

/** `Tab`, and the candidates with their counts. */
function completionLine(screen: IssuesScreen, prompt: Prompt<TerminalState>): Line {
  const { draft, cursor } = prompt;
  const { candidates, selected } = prompt.completion ?? { ...filterCompletion(screen, draft, cursor), selected: -1 };
  const word = draft.slice(0, cursor).split(/[\s(]/).at(-1) ?? '';
  if (word === '') return [MARGIN, words('Tab  level:  service:  is:  or search for text', 'muted')];
  const search =
    word.includes(':') || selected >= 0 ? [] : [span(neutralise(`or search for the text "${word}"`), 'muted')];
  if (candidates.length === 0) return search.length === 0 ? [] : [MARGIN, ...search];
  const typed = typedField(draft, cursor);
  const values = (typed && screen.values.get(valueKey(screen, typed))) ?? [];
  const countOf = (name: string) => values.find(({ value }) => shownValue(typed?.field ?? '', value) === name)?.count;
  const listed = candidates.flatMap((candidate, index) =>
    candidate.kind === 'operator' ? [] : candidateSpans(candidate, index === selected, countOf(candidate.text)),
  );
  const [first, second] = candidates;
  const isWhole = typed?.field === 'level' && word.endsWith(':') && first?.kind === 'value' && second?.kind === 'value';
  const also = isWhole ? [span(neutralise(`     also >=warn, [${first.text}, ${second.text}]`), 'muted')] : [];
  return [MARGIN, words('Tab  ', 'muted'), ...listed, ...search, ...also];
}

function candidateSpans({ text, kind }: QueryCandidate, isSelected: boolean, count: number | undefined): Line {
  const name = span(cutToCells(text, MAX_CANDIDATE_CELLS), isSelected ? 'selected' : 'label');
  const counted = count === undefined ? [] : [words(' '), span(shortCount(count))];
  return [name, ...counted, words(kind === 'field' ? '  ' : '   ')];
}
