import { EVENT_PANES, type EventPane, type EventScreen } from '../../state/event-state.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { countWithNoun, fullCount } from '../../text/counts.js';
import { type Line, type Span, span, spread, words } from '../../text/line.js';
import { tabsLine } from '../../text/tabs-line.js';
import { cutToCells } from '../../text/visible.js';
import { foundIn } from './event-find.js';
import { relatedCount } from './related-pane.js';

const PANE_NAMES: Readonly<Record<EventPane, string>> = {
  detail: 'Detail',
  stack: 'Stack',
  related: 'Related',
  diff: 'Compare',
};
const MAX_SEARCH_CELLS = 16;

/** The tabs; on the right the matches, the errors of the chain and the notes. */
export function tabLine(state: TerminalState, screen: EventScreen): Line {
  const { columns } = state.size;
  const frames = screen.views?.stack().errors.reduce((sum, error) => sum + error.frames.length, 0);
  const counts: Partial<Record<EventPane, number | undefined>> = { stack: frames, related: relatedCount(screen) };
  const tabs = tabsLine(
    EVENT_PANES.map((pane) => ({ name: PANE_NAMES[pane], count: counts[pane] })),
    PANE_NAMES[screen.pane],
    columns,
  );
  return spread(tabs, facts(state, screen), columns);
}

function facts(state: TerminalState, screen: EventScreen): Line {
  const found = foundIn(state, screen);
  const { event, views } = screen;
  const parts: Span[][] = [];
  if (found !== undefined) {
    const at = found.at === undefined ? '' : `${fullCount(found.at)}/`;
    parts.push([span(cutToCells(screen.search, MAX_SEARCH_CELLS), 'match'), words(` ${at}${fullCount(found.count)}`)]);
  }
  const errors = views?.stack().errors.length ?? 0;
  if (errors > 1) parts.push([words('chain of '), span(fullCount(errors), 'label')]);
  const notes = event?.notes.length ?? 0;
  if (notes > 0)
    parts.push([span(countWithNoun(notes, 'note'), 'warning'), words(screen.pane === 'stack' ? '' : ': 2')]);
  return parts
    .flatMap((part, index) => [...(index === 0 ? [words(' ')] : [words(' · ', 'muted')]), ...part])
    .concat(words(' '));
}
