import { Fault } from '../../event/fault.js';
import type { RawPayload } from '../../event/raw-payload.js';
import { eventMatcher, namesField } from '../../query/match-query.js';
import { matchesEverything, type QueryNode } from '../../query/query-ast.js';
import { type RequiredText, requiredTexts } from '../../query/required-texts.js';
import type { SearchableIssue } from '../../query/searchable.js';
import { matchesPattern } from '../../query/text-pattern.js';
import { OccurrenceReports } from '../index/content/occurrence-reports.js';
import { eventIdOf, eventOfPayload, type ReadEvent, rawLineMissing } from '../index/read-event.js';
import type { EventRow } from '../index/segments/event-segment.js';
import type { IssueSearch } from '../issue-queries/issue-search.js';
import type { IssueStatuses } from '../issue-queries/issue-statuses.js';
import type { BufferPool } from '../record/io/buffer-pool.js';
import { decodeLineAt } from '../record/reader/decode-line.js';
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
  readonly occurrences: OccurrenceReports;
  /** Whether a report is shown only by the event that counts its occurrence. */
  readonly isShownWith: (report: EventRow, counted: EventRow) => boolean;
  /** Parses an event, with what the other reports of its occurrence know; undefined if it cannot be read, which leaves it out. */
  readonly read: (line: EventLine, others: readonly EventLine[]) => ReadEvent | undefined;
  /** Absent: all match. */
  readonly matches?: (event: ReadEvent) => boolean;
}

/** An event with its raw line; undefined if the record lacks it. */
export interface EventLine {
  readonly row: EventRow;
  readonly line: Uint8Array | undefined;
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
  const shownOrdinal = (ordinal: number): number => merged.membersOf(ordinal)?.[0]?.ordinal ?? ordinal;
  const shownAt = (ordinal: number): typeof view => {
    view.ordinal = shownOrdinal(ordinal);
    return view;
  };

  const decode = ({ row, line }: EventLine): RawPayload | undefined => {
    try {
      if (line !== undefined) return decodeLineAt(row, line);
      // Retention may have removed the event since its row was found.
      if (row.receivedAtMicros >= content.removed.beforeMicros) onUnreadable(eventIdOf(row), rawLineMissing(row));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      onUnreadable(eventIdOf(row), error);
    }
    return undefined;
  };
  const read: EventSelector['read'] = (event, others) => {
    const { row } = event;
    const issue = issues[row.ordinal];
    const payload = issue && decode(event);
    if (issue === undefined || payload === undefined) return undefined;
    const reports = others.flatMap((other) => decode(other) ?? []);
    return eventOfPayload(
      row,
      payload,
      { issueId: shownAt(row.ordinal).issueId, fingerprint: issue.fingerprint },
      reports,
    );
  };

  const namesEvents = namesField(query, 'event_id');
  const isShownWith: EventSelector['isShownWith'] = (report, counted) =>
    !namesEvents && report.weight === 0 && shownOrdinal(report.ordinal) === shownOrdinal(counted.ordinal);
  const all = { record, buffers, occurrences: new OccurrenceReports(content), isShownWith, read };
  if (matchesEverything(query)) return all;
  const matches = eventMatcher(query, nowMs);
  return {
    ...all,
    mayMatch: createIndexTest(query, { issues, shownAt, nowMs }),
    lineSearch: createLineSearch(requiredTexts(query), shownAt),
    read,
    matches: ({ normalized, others, row }) =>
      matches({ normalized, others, receivedAtMicros: row.receivedAtMicros, issue: shownAt(row.ordinal) }),
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
