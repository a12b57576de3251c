import type { FailureReader } from '../../core/contract/reader.js';
import type { IssueId } from '../../core/event/ids.js';
import type { EventDetail, EventHistogram, IssueDetail } from '../../generated/reader-answers.js';
import { latestWindow } from '../format/event/time-window.js';
import { issueMarkdown } from '../format/export/markdown-issue.js';
import { findIssueId, issueNotFound } from './find-ids.js';
import { outputColumns, printLines } from './print-table.js';
import { printedIssue, WIDE_FROM } from './printed-issue.js';
import { chooseFormat, type DetailFormat, type FormattedOptions, runPrinting } from './printing-command.js';
import { print, printJson, printJsonLines } from './text-output.js';

export interface IssueOptions extends FormattedOptions<DetailFormat> {
  reader: FailureReader;
  /** As typed: an id or the start of one. */
  issueId: string;
}

/** Bars of 30 minutes in narrow windows, else of 15. */
const BARS = 48;

/** Prints one issue: as text, NDJSON, Markdown with its latest event, or the JSON of the reading API. Returns the exit code. */
export function runIssue(options: IssueOptions): Promise<number> {
  const { reader, env, stdout, stderr } = options;
  return runPrinting(stderr, async () => {
    const format = chooseFormat(options);
    const issueId = await findIssueId(reader, options.issueId);
    const issue = await reader.getIssue(issueId);
    if (issue === undefined) throw issueNotFound(issueId);
    if (format === 'document') return await printJson(stdout, issue);
    if (format === 'ndjson') return await printJsonLines(stdout, [issue]);
    const latest = await latestEvent(reader, issueId);
    if (format === 'markdown') return await print(stdout, issueMarkdown(issue, latest));
    const columns = outputColumns(stdout, env);
    const bars = await lastDay(reader, issue, columns);
    await printLines(stdout, env, printedIssue({ issue, latest, bars }, columns, Date.now()));
  });
}

/** Undefined if retention removed all events. */
async function latestEvent(reader: FailureReader, issueId: IssueId): Promise<EventDetail | undefined> {
  const latest = (await reader.listEvents(issueId, { limit: 1 }))?.events[0];
  return latest && (await reader.getEvent(latest.event_id));
}

async function lastDay(
  reader: FailureReader,
  issue: IssueDetail,
  columns: number,
): Promise<EventHistogram | undefined> {
  const { from, to } = latestWindow(issue, '24h', BARS);
  const buckets = columns >= WIDE_FROM ? 2 * BARS : BARS;
  return (await reader.summarizeEvents(issue.issue_id, { from, to, buckets }))?.histogram;
}
