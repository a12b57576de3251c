import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Fault } from '../../core/event/fault.js';
import type { IssueId } from '../../core/event/ids.js';
import { shortEventId } from '../../core/event/short-event-id.js';
import type { EventSummary } from '../../generated/reader-answers.js';
import { eventColumns, searchColumns } from '../format/event/event-columns.js';
import type { Column } from '../text/columns.js';
import { countWithNoun } from '../text/counts.js';
import { clockTime } from '../text/moments.js';
import { createEventPoll, type EventsOptions, fetchFirstPages } from './event-poll.js';
import { findIssueId } from './find-ids.js';
import { withSince } from './find-since.js';
import { moreWords, outputColumns, printTable } from './print-table.js';
import { chooseFormat, EXIT_CODES, runPrinting } from './printing-command.js';
import { listenForStop } from './stop-listener.js';
import { errorText, print, printJson, printJsonLines } from './text-output.js';

/** Cells from which tables have full times and ids. */
const WIDE_FROM = 160;
const FULL_TIME: Column<EventSummary> = {
  heading: 'TIME UTC',
  cells: 23,
  text: ({ timestamp }) => `${clockTime(timestamp, 'full')}.${timestamp.slice(20, 23)}`,
};
const FULL_ID: Column<EventSummary> = { heading: 'ID', cells: 36, text: ({ event_id }) => event_id };
const SHORT_ID: Column<EventSummary> = { heading: 'ID', cells: 9, text: ({ event_id }) => shortEventId(event_id) };
/** The newest events of a watch that decide its columns. */
const MAX_SEEN = 1_000;

/** Prints events, newest first; a watch prints them in order of arrival. Returns the exit code. */
export async function runEvents(given: EventsOptions): Promise<number> {
  const { reader, stdout, stderr } = given;
  let ended: number | undefined;
  const code = await runPrinting(given, async () => {
    const options = { ...given, query: await withSince(reader, given, 'timestamp') };
    const format = chooseFormat(options);
    const issueId = options.issueId === undefined ? undefined : await findIssueId(reader, options.issueId);
    if (options.isWatch === true) {
      ended = await watchEvents(options, issueId);
      return;
    }
    const { rows, nextCursor } = await fetchFirstPages(options, issueId);
    if (format === 'document') await printJson(stdout, { events: rows, next_cursor: nextCursor });
    else if (format === 'ndjson') await printJsonLines(stdout, rows);
    else {
      await printTable(stdout, options.env, printedColumns(options, rows), rows);
      if (nextCursor !== null) await print(stderr, moreWords(rows.length, await totalWords(options, issueId, rows)));
    }
  });
  return ended ?? code;
}

/** `of 452 events` for the events of an issue; the total of a query is not known. */
async function totalWords(
  { reader, query }: EventsOptions,
  issueId: IssueId | undefined,
  { length }: readonly EventSummary[],
): Promise<string> {
  const issue = issueId === undefined || query !== undefined ? undefined : await reader.getIssue(issueId);
  return issue === undefined ? `event${length === 1 ? '' : 's'}` : `of ${countWithNoun(issue.count, 'event')}`;
}

async function watchEvents(options: EventsOptions, issueId: IssueId | undefined): Promise<number> {
  const format = chooseFormat(options);
  if (format === 'document') {
    throw new Fault('ARGUMENT_INVALID', '--watch needs --format table or ndjson.');
  }
  const printEvents = tablePrinter(options);
  const poll = createEventPoll(options, issueId, async (events) => {
    if (format === 'ndjson') await printJsonLines(options.stdout, events);
    else await printEvents(events);
  });
  return await watch(poll, options);
}

/** Prints the events of a watch; the columns are those that differ between all of them, with a heading where they change. */
function tablePrinter(options: EventsOptions): (events: readonly EventSummary[]) => Promise<void> {
  let seen: readonly EventSummary[] = [];
  let headings: string | undefined;
  return async (events) => {
    seen = [...events, ...seen].slice(0, MAX_SEEN);
    const columns = printedColumns(options, seen);
    const named = columns.map(({ heading }) => heading).join(' ');
    const heading = headings === undefined || (named !== headings && events.length > 0);
    if (heading) headings = named;
    await printTable(options.stdout, options.env, columns, events, { heading });
  };
}

function printedColumns(
  { stdout, env, issueId }: EventsOptions,
  rows: readonly EventSummary[],
): Column<EventSummary>[] {
  const width = outputColumns(stdout, env);
  const chosen = { rows, width, nowMs: Date.now(), zone: 'utc', none: '-' } as const;
  const [time, ...columns] = issueId === undefined ? searchColumns(chosen) : eventColumns(chosen);
  if (width >= WIDE_FROM || time === undefined) return [FULL_TIME, ...columns, FULL_ID];
  return [time, ...columns, SHORT_ID];
}

const INTERVAL_MS = 1_000;
/** Faults that a retry cannot fix. */
const FINAL_CODES: ReadonlySet<string> = new Set([
  'QUERY_INVALID',
  'ARGUMENT_INVALID',
  'PARAMETER_INVALID',
  'READER_CLOSED',
  'ISSUE_NOT_FOUND',
  'FOLDER_NOT_FOUND',
]);

/** Polls until it is interrupted or its output closes. The first poll must succeed; a later retryable failure is printed once. */
async function watch(poll: () => Promise<void>, options: EventsOptions): Promise<number> {
  const { stdout, intervalMs = INTERVAL_MS, signals } = options;
  const stop = listenForStop(stdout, signals);
  let isLost = false;
  try {
    await untilStopped(poll(), stop.signal);
    while (!stop.signal.aborted) {
      await wait(intervalMs, undefined, { signal: stop.signal }).catch(() => undefined);
      if (!stop.signal.aborted) isLost = await pollAgain(() => untilStopped(poll(), stop.signal), isLost, options);
    }
    return stop.exitCode() ?? EXIT_CODES.done;
  } finally {
    stop.close();
  }
}

/** Polls, and prints when the collector is lost or back; returns whether it is lost. */
async function pollAgain(poll: () => Promise<void>, wasLost: boolean, { stderr }: EventsOptions): Promise<boolean> {
  try {
    await poll();
  } catch (error) {
    if (!(error instanceof Fault) || FINAL_CODES.has(error.code)) throw error;
    if (!wasLost) await print(stderr, `${errorText(error).trimEnd()} Waiting for it.\n`);
    return true;
  }
  if (wasLost) await print(stderr, 'Connected again.\n');
  return false;
}

/** Waits for work or for the stop signal, so that a collector that hangs does not block the exit. */
async function untilStopped(work: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const done = new AbortController();
  const stopped = once(signal, 'abort', { signal: done.signal }).catch(() => undefined);
  try {
    await Promise.race([work, stopped]);
  } finally {
    done.abort();
    // After the stop a rejection has no handler left.
    work.catch(() => undefined);
  }
}
