import type { EventId, IssueId } from '../../core/event/ids.js';
import { bodyRows } from './layout.js';
import { visibleCursor, wantedCursor } from './paged-list.js';
import { type IssueSource, type Screen, type TerminalState, topScreen } from './terminal-state.js';

/** One thing to read for a screen. Without cursor: the beginning of the list. */
export type Read =
  | { readonly what: 'stats' }
  | { readonly what: 'issues'; readonly screen: number; readonly source: IssueSource; readonly cursor?: string }
  /** The page that is being looked at, to bring its rows up to date. */
  | { readonly what: 'visible_issues'; readonly screen: number; readonly source: IssueSource; readonly cursor: string }
  | { readonly what: 'issue'; readonly screen: number; readonly issueId: IssueId }
  | { readonly what: 'events'; readonly screen: number; readonly issueId: IssueId; readonly cursor?: string }
  | { readonly what: 'event'; readonly screen: number; readonly eventId: EventId };

/** What the visible screen lacks and cannot wait for. */
export function missingReads(state: TerminalState): readonly Read[] {
  const screen = topScreen(state);
  switch (screen.kind) {
    case 'issues': {
      const { list, wanted: source, shown, key } = screen;
      if (!isSameSource(source, shown) || (list.isBehind && !list.isTouched)) {
        return [{ what: 'issues', screen: key, source }];
      }
      const cursor = wantedCursor(list, bodyRows(state));
      return cursor === undefined ? [] : [{ what: 'issues', screen: key, source, cursor }];
    }
    case 'events': {
      const { list, issue, reading, key } = screen;
      const read = { what: 'events', screen: key, issueId: issue.issue_id } as const;
      if (reading === 'gone') return [];
      if (reading === 'loading' || (list.isBehind && !list.isTouched)) return [read];
      const cursor = wantedCursor(list, bodyRows(state));
      return cursor === undefined ? [] : [{ ...read, cursor }];
    }
    case 'event':
      return screen.pager === undefined && !screen.isGone
        ? [{ what: 'event', screen: screen.key, eventId: screen.eventId }]
        : [];
  }
}

/** What is read again every time that the collector is polled. */
export function polledReads(state: TerminalState): readonly Read[] {
  return [{ what: 'stats' }, ...polledFor(topScreen(state))];
}

function polledFor(screen: Screen): readonly Read[] {
  switch (screen.kind) {
    case 'issues': {
      const { key, wanted: source, list } = screen;
      const cursor = visibleCursor(list);
      const head = { what: 'issues', screen: key, source } as const;
      return cursor === undefined ? [head] : [head, { what: 'visible_issues', screen: key, source, cursor }];
    }
    case 'events': {
      const { key, issue } = screen;
      return [
        { what: 'issue', screen: key, issueId: issue.issue_id },
        { what: 'events', screen: key, issueId: issue.issue_id },
      ];
    }
    // An event never changes.
    case 'event':
      return [];
  }
}

/** Whether rows read from one source belong to the other. */
export function isSameSource(one: IssueSource, other: IssueSource | undefined): boolean {
  return one.query === other?.query && one.sort === other?.sort;
}
