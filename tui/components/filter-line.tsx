import type { ReactElement } from 'react';
import { type Line, span, spread, words } from '../format/line.js';
import { cellsOf, neutralise } from '../format/visible.js';
import { useView } from '../hooks/use-view.js';
import { isSameSource } from '../state/reads.js';
import type { IssuesScreen } from '../state/terminal-state.js';
import { Lines } from './lines.js';

const CURSOR = '█';
const SORT_WORDS = { last_seen: 'last seen', first_seen: 'first seen', count: 'count' } as const;

/** Which issues are listed, or the prompt in which that is typed, with the reason below it when a query was refused. */
export function FilterLine({ screen }: { screen: IssuesScreen }): ReactElement {
  const { size } = useView();
  const { prompt, wanted, shown, list } = screen;
  const behind = list.isBehind ? [words('newer issues above: g', 'warning'), words('   ')] : [];
  const loading = shown === undefined || isSameSource(wanted, shown) ? [] : [words('loading…   ', 'muted')];
  const right: Line = [...loading, ...behind, words(`by ${SORT_WORDS[wanted.sort]} `, 'muted')];
  const left: Line = prompt === undefined ? shownFilter(wanted.query) : typedFilter(prompt.draft, size.columns);
  const lines = [prompt === undefined ? spread(left, right, size.columns) : left];
  if (prompt?.error !== undefined) lines.push([words(' '), span(neutralise(prompt.error), 'error')]);
  return <Lines lines={lines} />;
}

function shownFilter(query: string): Line {
  if (query === '') return [words(' All issues', 'muted')];
  return [words(' Filter: ', 'label'), span(neutralise(query))];
}

/** The draft's end is where one types: a long one is cut at its start. */
function typedFilter(draft: string, columns: number): Line {
  const room = columns - 2;
  let characters = [...neutralise(draft)].slice(-room);
  while (cellsOf(neutralise(characters.join(''))) > room) characters = characters.slice(1);
  return [words('/', 'label'), span(neutralise(characters.join(''))), words(CURSOR)];
}
