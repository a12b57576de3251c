import type { FailureReader } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import type { IssueId } from '../../core/event/ids.js';
import type { EventDetail } from '../../generated/reader-answers.js';
import { issueMarkdown } from '../format/export/markdown-issue.js';
import { issueText } from '../format/issue/issue-view.js';
import { findIssueId } from './find-issue-id.js';
import { chosenFormat, type DetailFormat, type FormattedOptions } from './printing-format.js';
import { runPrinting } from './run-printing.js';
import { print, printJson, printJsonLines } from './text-output.js';

export interface IssueOptions extends FormattedOptions<DetailFormat> {
  reader: FailureReader;
  /** As a person typed it. */
  issueId: string;
}

/**
 * Prints one issue with its state, its history and why its events are one, or as one line of NDJSON, as Markdown with its latest event, or with `json` as the reading API answers it.
 * Answers the exit code.
 */
export function runIssue(options: IssueOptions): Promise<number> {
  const { reader, stdout, stderr } = options;
  return runPrinting(stderr, async () => {
    const format = chosenFormat(options);
    const issueId = await findIssueId(reader, options.issueId);
    const issue = await reader.getIssue(issueId);
    if (issue === undefined) {
      throw new Fault('ISSUE_NOT_FOUND', `There is no issue ${issueId} here; \`faultline issues\` lists them.`);
    }
    if (format === 'document') await printJson(stdout, issue);
    else if (format === 'ndjson') await printJsonLines(stdout, [issue]);
    else if (format === 'markdown') await print(stdout, issueMarkdown(issue, await latestEvent(reader, issueId)));
    else await print(stdout, issueText(issue));
  });
}

/** Undefined where retention removed all. */
async function latestEvent(reader: FailureReader, issueId: IssueId): Promise<EventDetail | undefined> {
  const latest = (await reader.listEvents(issueId, { limit: 1 }))?.events[0];
  return latest && (await reader.getEvent(latest.event_id));
}
