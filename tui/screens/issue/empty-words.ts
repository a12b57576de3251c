import { countOf } from '../../format/counts.js';
import type { IssueScreen } from './issue-state.js';

const GONE = 'The store does not have this issue any more; perhaps it was older than the retention.';

/** What is said where the fingerprint is nobody else's. */
export const NONE_RELATED = 'No other issue has this fingerprint.';

/** What is said where a pane has nothing to show. */
export function emptyWords(screen: IssueScreen): readonly string[] {
  const { reading, pane, detail, related } = screen;
  if (reading === 'gone') return [GONE];
  switch (pane) {
    case 'events':
      return [eventsWords(screen)];
    case 'facets':
      return ['Counting what its events have in common…'];
    case 'why':
    case 'history':
      return detail === undefined ? ['Loading…'] : [];
    case 'related':
      return [related === undefined ? 'Loading…' : NONE_RELATED];
  }
}

function eventsWords({ reading, query, range, issue }: IssueScreen): string {
  if (reading !== 'loaded') return 'Loading…';
  if (query !== '' || range !== undefined) return 'No event of this issue matches. Esc takes the filter back.';
  const { count, removed_events: removed } = issue;
  if (count === 0 && removed > 0) return `Retention removed the events of this issue: ${countOf(removed, 'event')}.`;
  return 'This issue has no events any more.';
}
