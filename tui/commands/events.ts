import type { FailureReader } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import type { IssueId } from '../../core/event/ids.js';
import type { EventPage, EventSearchPage, EventSummary } from '../../generated/reader-answers.js';
import { EVENT_COLUMNS } from '../format/event/event-columns.js';
import type { RowPage } from '../state/paged-list.js';
import type { Column } from '../text/columns.js';
import { shortCount } from '../text/counts.js';
import { collectPages } from './collect-pages.js';
import { findIssueId } from './find-issue-id.js';
import { printTable } from './print-table.js';
import { chosenFormat, type FormattedOptions } from './printing-format.js';
import { runPrinting } from './run-printing.js';
import { print, printJson, printJsonLines, type TextOutput } from './text-output.js';
import { type WatchOptions, watch } from './watch.js';
import { eventLook, type WatchedPage } from './watch-events.js';

export interface EventsOptions extends FormattedOptions, Pick<WatchOptions, 'intervalMs' | 'signals'> {
  reader: FailureReader;
  /** As a person typed it; absent: events of all issues. */
  issueId?: string | undefined;
  /** Absent: all events of the issue. */
  query?: string | undefined;
  /** At most so many events, from 1 on; of a watch those at its start. */
  limit: number;
  /** Goes on with what arrives, until it is interrupted; default false. */
  isWatch?: boolean | undefined;
}

const ID_COLUMN: Column<EventSummary> = { heading: 'ID', cells: 36, text: ({ event_id }) => event_id };

const CLEAR_LINE = '\r\u001b[K';

/**
 * Prints the events of an issue or of all, newest first, as a table, as NDJSON, or with `json` as the reading API answers them. A watch prints them in the order of their
 * arrival. Answers the exit code.
 */
export async function runEvents(options: EventsOptions): Promise<number> {
  const { reader, stdout, stderr } = options;
  let ended: number | undefined;
  const code = await runPrinting(stderr, async () => {
    const format = chosenFormat(options);
    const issueId = options.issueId === undefined ? undefined : await findIssueId(reader, options.issueId);
    if (options.isWatch === true) {
      ended = await watchEvents(options, issueId);
      return;
    }
    const { rows, nextCursor } = await firstPages(options, issueId);
    if (format === 'document') await printJson(stdout, { events: rows, next_cursor: nextCursor });
    else if (format === 'ndjson') await printJsonLines(stdout, rows);
    else await printEventTable(options, rows, true);
  });
  return ended ?? code;
}

async function watchEvents(options: EventsOptions, issueId: IssueId | undefined): Promise<number> {
  const { reader, query, stdout, stderr } = options;
  const format = chosenFormat(options);
  if (format === 'document') {
    throw new Fault('ARGUMENT_INVALID', '--watch prints a table or NDJSON; take --format table or --format ndjson.');
  }
  let isFirst = true;
  const look = eventLook({
    reader,
    query,
    readFirst: async () => (await firstPages(options, issueId)).rows,
    readPage: async (asked, range): Promise<WatchedPage> => {
      const page =
        issueId === undefined
          ? await reader.searchEvents({ ...range, query: asked })
          : await eventsOf(reader, issueId, { ...range, query: asked });
      return { rows: page.events, nextCursor: page.next_cursor };
    },
    tell: async (events) => {
      if (format === 'ndjson') await printJsonLines(stdout, events);
      else if (isFirst || events.length > 0) await printEventTable(options, events, isFirst);
      isFirst = false;
    },
    onMissed: () =>
      print(stderr, 'More events arrived at once than are printed here; the older of them are left out.\n'),
  });
  return await watch(look, options);
}

function firstPages(options: EventsOptions, issueId: IssueId | undefined): Promise<RowPage<EventSummary>> {
  const { reader, query, limit, stderr } = options;
  if (issueId === undefined) return searchPages({ reader, query, limit, stderr });
  return collectPages<EventSummary>(limit, async (range) => {
    const page = await eventsOf(reader, issueId, { ...range, ...(query === undefined ? {} : { query }) });
    return { rows: page.events, nextCursor: page.next_cursor };
  });
}

async function eventsOf(
  reader: FailureReader,
  issueId: IssueId,
  range: { limit: number; cursor?: string; query?: string },
): Promise<EventPage> {
  const page = await reader.listEvents(issueId, range);
  if (page !== undefined) return page;
  throw new Fault('ISSUE_NOT_FOUND', `There is no issue ${issueId} here; \`faultline issues\` lists them.`);
}

async function printEventTable(
  { stdout, env }: EventsOptions,
  rows: readonly EventSummary[],
  heading: boolean,
): Promise<void> {
  await printTable(stdout, env, [ID_COLUMN, ...EVENT_COLUMNS], rows, { heading });
}

/** Searches the events of all issues until so many are found or all were looked at; on a terminal standard error says how far it is. */
async function searchPages(search: {
  reader: FailureReader;
  query: string | undefined;
  limit: number;
  stderr: TextOutput;
}): Promise<RowPage<EventSummary>> {
  const { reader, query, limit, stderr } = search;
  const isWatched = stderr.isTTY === true;
  try {
    return await collectPages<EventSummary>(limit, async (range) => {
      const page = await reader.searchEvents({ ...range, ...(query === undefined ? {} : { query }) });
      if (isWatched && page.next_cursor !== null) await print(stderr, CLEAR_LINE + progressText(page));
      return { rows: page.events, nextCursor: page.next_cursor };
    });
  } finally {
    if (isWatched) await print(stderr, CLEAR_LINE);
  }
}

function progressText({ scanned, total }: EventSearchPage): string {
  const percent = total.events === 0 ? 100 : Math.floor((100 * scanned.events) / total.events);
  return `looked at ${shortCount(scanned.events)} of ${shortCount(total.events)} events (${percent}%)`;
}
