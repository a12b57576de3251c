import { Fault } from '../../event/fault.js';
import { eventMatcher } from '../../query/match-query.js';
import { matchesEverything, type QueryNode } from '../../query/query-ast.js';
import { type RequiredText, requiredTexts } from '../../query/required-texts.js';
import type { SearchableIssue } from '../../query/searchable.js';
import { matchesPattern } from '../../query/text-pattern.js';
import type { EventLocation } from '../index/content/find-events.js';
import { eventIdOf, eventOfLine, type ReadEvent, rawLineMissing } from '../index/read-event.js';
import type { EventRow } from '../index/segments/event-segment.js';
import type { IssueSearch } from '../issue-queries/issue-search.js';
import type { IssueStatuses } from '../issue-queries/issue-statuses.js';
import type { BufferPool } from '../record/io/buffer-pool.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import { createIndexTest } from './indexed-terms.js';
import { LiteralSearch } from './literal-search.js';

export interface EventQueryContext {
  readonly statuses: IssueStatuses;
  readonly record: Pick<RecordReader, 'readAt'>;
  /** Called for each event left out because its raw line cannot be read. */
  readonly onUnreadable: (eventId: string, fault: Fault) => void;
}

/** Selects the events of a query: first by the index, then by text in raw lines, then parsed. */
export interface EventSelector {
  readonly record: Pick<RecordReader, 'readAt'>;
  readonly buffers: BufferPool;
  /** False for events that cannot match by what the index knows. Absent: all may match. */
  readonly mayMatch?: (row: EventRow) => boolean;
  /** Where raw lines hold text that every match has. Absent: no text is certain. */
  readonly lineSearch?: LineSearch | undefined;
  /** Parses an event; undefined if it cannot be read, which leaves it out. */
  readonly read: (location: EventLocation, line: Uint8Array | undefined) => ReadEvent | undefined;
  /** Absent: all match. */
  readonly matches?: (event: ReadEvent) => boolean;
}

/** Finds the raw lines that may match. */
export interface LineSearch {
  readonly literals: LiteralSearch;
  /** Whether events of an issue, by its ordinal, may match without a literal, because of its title. */
  readonly isTitled: (ordinal: number) => boolean;
}

/** Creates the selector of a query; events carry the fields of the issue under which they are shown. */
export function createEventSelector(query: QueryNode, search: IssueSearch, context: EventQueryContext): EventSelector {
  const { record, statuses, onUnreadable } = context;
  const { merged, nowMs } = statuses.lifecycles;
  const { content, buffers } = search;
  const issues = content.issues.inOrder;
  const view = search.view(statuses);
  const shownAt = (ordinal: number): typeof view => {
    view.ordinal = merged.membersOf(ordinal)?.[0]?.ordinal ?? ordinal;
    return view;
  };

  const read = ({ row }: EventLocation, line: Uint8Array | undefined): ReadEvent | undefined => {
    const issue = issues[row.ordinal];
    if (issue === undefined) return undefined;
    if (line === undefined) {
      // Retention may have removed the event since its row was found.
      if (row.receivedAtMicros >= content.removed.beforeMicros) onUnreadable(eventIdOf(row), rawLineMissing(row));
      return undefined;
    }
    try {
      return eventOfLine(row, line, { issueId: shownAt(row.ordinal).issueId, fingerprint: issue.fingerprint });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      onUnreadable(eventIdOf(row), error);
      return undefined;
    }
  };

  if (matchesEverything(query)) return { record, buffers, read };
  const matches = eventMatcher(query, nowMs);
  return {
    record,
    buffers,
    mayMatch: createIndexTest(query, { issues, shownAt, nowMs }),
    lineSearch: createLineSearch(requiredTexts(query), shownAt),
    read,
    matches: ({ normalized, row }) =>
      matches({ normalized, receivedAtMicros: row.receivedAtMicros, issue: shownAt(row.ordinal) }),
  };
}

function createLineSearch(
  texts: readonly RequiredText[] | undefined,
  shownAt: (ordinal: number) => SearchableIssue,
): LineSearch | undefined {
  if (texts === undefined) return undefined;
  const patterns = texts.map(({ titlePattern }) => titlePattern).filter((pattern) => pattern !== undefined);
  return {
    literals: new LiteralSearch(texts.map(({ literal }) => literal)),
    isTitled(ordinal) {
      if (patterns.length === 0) return false;
      const title = shownAt(ordinal).title.toLowerCase();
      return patterns.some((pattern) => matchesPattern(pattern, title));
    },
  };
}
