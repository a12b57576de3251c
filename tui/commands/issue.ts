import { Fault } from '../../core/event/fault.js';
import type { FailureReader } from '../../core/reader.js';
import { issueText } from '../format/issue-view.js';
import { findIssueId } from './find-issue-id.js';
import { printJson } from './print-json.js';
import { type PrintingOptions, runPrinting } from './run-printing.js';
import { print } from './text-output.js';

export interface IssueOptions extends PrintingOptions {
  reader: FailureReader;
  /** As a person typed it. */
  issueId: string;
}

/** Prints one issue with its state, its history and why its events are one, or with `json` as the reading API answers it. Answers the exit code. */
export function runIssue(options: IssueOptions): Promise<number> {
  const { reader, json, stdout, stderr } = options;
  return runPrinting(stderr, async () => {
    const issueId = await findIssueId(reader, options.issueId);
    const issue = await reader.getIssue(issueId);
    if (issue === undefined) {
      throw new Fault('ISSUE_NOT_FOUND', `There is no issue ${issueId} here; \`faultline issues\` lists them.`);
    }
    if (json) await printJson(stdout, issue);
    else await print(stdout, issueText(issue));
  });
}
