import type { FailureReader } from '../../core/contract/reader.js';
import type { IssueId } from '../../core/event/ids.js';
import type { EventDetail } from '../../generated/reader-answers.js';
import { issueMarkdown } from '../format/export/markdown-issue.js';
import { issueText } from '../format/issue/issue-view.js';
import { findIssueId, issueNotFound } from './find-issue-id.js';
import { chooseFormat, type DetailFormat, type FormattedOptions, runPrinting } from './printing-command.js';
import { print, printJson, printJsonLines } from './text-output.js';

export interface IssueOptions extends FormattedOptions<DetailFormat> {
  reader: FailureReader;
  /** As typed: an id or the start of one. */
  issueId: string;
}

/** Prints one issue: as text, NDJSON, Markdown with its latest event, or the JSON of the reading API. Returns the exit code. */
export function runIssue(options: IssueOptions): Promise<number> {
  const { reader, stdout, stderr } = options;
  return runPrinting(stderr, async () => {
    const format = chooseFormat(options);
    const issueId = await findIssueId(reader, options.issueId);
    const issue = await reader.getIssue(issueId);
    if (issue === undefined) throw issueNotFound(issueId);
    if (format === 'document') await printJson(stdout, issue);
    else if (format === 'ndjson') await printJsonLines(stdout, [issue]);
    else if (format === 'markdown') await print(stdout, issueMarkdown(issue, await latestEvent(reader, issueId)));
    else await print(stdout, issueText(issue));
  });
}

/** Undefined if retention removed all events. */
async function latestEvent(reader: FailureReader, issueId: IssueId): Promise<EventDetail | undefined> {
  const latest = (await reader.listEvents(issueId, { limit: 1 }))?.events[0];
  return latest && (await reader.getEvent(latest.event_id));
}
