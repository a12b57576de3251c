import { Fault } from '../../event/fault.js';
import { eventMatcher, issueMatcher } from '../../query/match-query.js';
import { matchesEverything, type QueryNode } from '../../query/query-ast.js';
import { matchesPattern } from '../../query/text-pattern.js';
import type { EventLocation } from '../index/content/find-events.js';
import { eventIdOf, eventOfLine, type ReadEvent, rawLineMissing } from '../index/read-event.js';
import type { IssueSearch } from '../issue-queries/issue-search.js';
import type { IssueStatuses } from '../issue-queries/issue-statuses.js';
import { createEventPrefilter } from './event-prefilter.js';
import type { SearchedRecord } from './file-search.js';
import type { EventSelector } from './scan-events.js';

export interface EventQueryContext {
  readonly statuses: IssueStatuses;
  readonly record: SearchedRecord;
  /** Called for each event left out because its raw line cannot be read. */
  readonly onUnreadable: (eventId: string, fault: Fault) => void;
}

/** Creates the selector of a query; events carry the fields of the issue under which they are shown. */
export function createEventSelector(query: QueryNode, search: IssueSearch, context: EventQueryContext): EventSelector {
  const { record, statuses, onUnreadable } = context;
  const { merged, nowMs } = statuses.lifecycles;
  const { content } = search;
  const issues = content.issues.inOrder;
  const view = search.view(statuses);
  const shownAt = (ordinal: number): typeof view => {
    view.ordinal = merged.membersOf(ordinal)?.[0]?.ordinal ?? ordinal;
    return view;
  };

  const read = ({ row }: EventLocation, line: Uint8Array | undefined): ReadEvent | undefined => {
    const own = issues[row.ordinal];
    if (own === undefined) return undefined;
    if (line === undefined) {
      // Retention may have removed the event since its row was found.
      if (row.receivedAtMicros >= content.removed.beforeMicros) onUnreadable(eventIdOf(row), rawLineMissing(row));
      return undefined;
    }
    try {
      return eventOfLine(row, line, { issueId: shownAt(row.ordinal).issueId, fingerprint: own.fingerprint });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      onUnreadable(eventIdOf(row), error);
      return undefined;
    }
  };

  const { buffers } = search;
  if (matchesEverything(query)) return { record, buffers, read };
  const matches = eventMatcher(query, nowMs);
  return {
    record,
    buffers,
    read,
    prefilter: createEventPrefilter(query, {
      issues,
      nowMs,
      titleMatches: (pattern) => {
        const parts = pattern.filter((part) => part !== '');
        return (ordinal) => {
          const shown = shownAt(ordinal);
          // Search texts are in lower case already.
          const mayMatch = parts.every((part) => shown.searchText.includes(part));
          return mayMatch && matchesPattern(pattern, shown.title.toLowerCase());
        };
      },
      holdsForIssue: (node) => {
        const holds = issueMatcher(node, nowMs);
        return (ordinal) => holds(shownAt(ordinal));
      },
    }),
    matches: ({ normalized, row }) =>
      matches({ normalized, receivedAtMicros: row.receivedAtMicros, issue: shownAt(row.ordinal) }),
  };
}
