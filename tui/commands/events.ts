import { Fault } from '../../core/event/fault.js';
import type { IssueId } from '../../core/event/ids.js';
import type { EventSummary, FailureReader } from '../../core/reader.js';
import type { Column } from '../format/columns.js';
import { EVENT_COLUMNS } from '../format/event-columns.js';
import type { RowPage } from '../state/paged-list.js';
import { collectPages } from './collect-pages.js';
import { findIssueId } from './find-issue-id.js';
import { printJson } from './print-json.js';
import { printTable } from './print-table.js';
import { type PrintingOptions, runPrinting } from './run-printing.js';
import { searchPages } from './search-pages.js';

export interface EventsOptions extends PrintingOptions {
  reader: FailureReader;
  /** As a person typed it; absent: events of all issues. */
  issueId?: string | undefined;
  /** Absent: all events of the issue. */
  query?: string | undefined;
  /** At most so many events, from 1 on. */
  limit: number;
}

const ID_COLUMN: Column<EventSummary> = { heading: 'ID', cells: 36, text: ({ event_id }) => event_id };

/** Prints the events of an issue or of all, newest first, as a table or with `json` as the reading API answers them. Answers the exit code. */
export function runEvents(options: EventsOptions): Promise<number> {
  const { reader, query, limit, json, env, stdout, stderr } = options;
  return runPrinting(stderr, async () => {
    const { rows, nextCursor } =
      options.issueId === undefined
        ? await searchPages({ reader, query, limit, stderr })
        : await issuePages(options, await findIssueId(reader, options.issueId));
    if (json) await printJson(stdout, { events: rows, next_cursor: nextCursor });
    else await printTable(stdout, env, [ID_COLUMN, ...EVENT_COLUMNS], rows);
  });
}

function issuePages({ reader, query, limit }: EventsOptions, issueId: IssueId): Promise<RowPage<EventSummary>> {
  return collectPages<EventSummary>(limit, async (range) => {
    const page = await reader.listEvents(issueId, { ...range, ...(query === undefined ? {} : { query }) });
    if (page === undefined) {
      throw new Fault('ISSUE_NOT_FOUND', `There is no issue ${issueId} here; \`faultline issues\` lists them.`);
    }
    return { rows: page.events, nextCursor: page.next_cursor };
  });
}
