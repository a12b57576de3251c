import type { FailureActions, FailureReader } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import type { IssueId } from '../../core/event/ids.js';
import { failureTitle } from '../../core/issues/failure-title.js';
import type { ActionRequest, IssueDetail } from '../../generated/reader-answers.js';
import { datedStateWords } from '../format/issue/state-words.js';
import { neutralise } from '../text/visible.js';
import { findIssueId } from './find-ids.js';
import { EXIT_CODES, type PrintingOptions } from './printing-command.js';
import { errorJson, errorText, print, printJson } from './text-output.js';

export interface ActOptions extends Omit<PrintingOptions, 'reader'> {
  store: FailureReader & FailureActions;
  /** Ids of the issues or prefixes of them, as typed. */
  issues: readonly string[];
  /** The action on each issue, without `issues`. */
  request: ActionRequest;
  /** The other issues of `merge` and `split`, as typed; empty for `split`: all merged issues. */
  others?: readonly string[] | undefined;
}

const USAGE_FAULTS: ReadonlySet<string> = new Set(['ARGUMENT_INVALID', 'ACTION_INVALID', 'SNOOZE_INVALID']);

/** Acts on each issue and prints its state; failures do not stop others. Exit code 1 if some failed, 2 if all by the call itself. */
export async function runAct(options: ActOptions): Promise<number> {
  const { issues, json, stdout, stderr } = options;
  const codes: string[] = [];
  for (const typed of issues) {
    try {
      const issue = await actOn(typed, options);
      if (json) await printJson(stdout, issue);
      else await print(stdout, `${actedLine(issue)}\n`);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      codes.push(error.code);
      const text = issues.length === 1 ? errorText(error) : `${neutralise(typed)}: ${errorText(error)}`;
      await print(stderr, json ? errorJson(error, { issue: typed }) : text);
    }
  }
  if (codes.length === 0) return EXIT_CODES.done;
  const isUsage = codes.length === issues.length && codes.every((code) => USAGE_FAULTS.has(code));
  return isUsage ? EXIT_CODES.usage : EXIT_CODES.failed;
}

function actedLine(issue: IssueDetail): string {
  const title = failureTitle(issue.error_name, issue.message);
  return [issue.issue_id.slice(0, 8), datedStateWords(issue), title].map(neutralise).join('  ');
}

async function actOn(typed: string, { store, request, others }: ActOptions): Promise<IssueDetail> {
  const issueId = await findIssueId(store, typed);
  if (others === undefined) return await store.act(issueId, request);
  const named = request.action === 'split' ? await mergedIds(store, issueId, others) : await findAll(store, others);
  return await store.act(issueId, { ...request, issues: named });
}

async function findAll(reader: FailureReader, typed: readonly string[]): Promise<IssueId[]> {
  const found: IssueId[] = [];
  for (const one of typed) found.push(await findIssueId(reader, one));
  return found;
}

/** Resolves id prefixes among the merged issues of an issue, because lists do not contain them. */
async function mergedIds(reader: FailureReader, issueId: IssueId, typed: readonly string[]): Promise<IssueId[]> {
  const merged = (await reader.getIssue(issueId))?.merged ?? [];
  if (typed.length > 0) {
    return typed.flatMap((start) => {
      const lower = start.toLowerCase();
      const [found, second] = merged.filter((id) => id.startsWith(lower));
      if (found !== undefined && second === undefined && lower.length >= 8) return found;
      const known = merged.length === 0 ? 'it has no merged issues' : `merged are ${merged.join(', ')}`;
      throw new Fault('ISSUES_NOT_MERGED', `${start} is not merged into issue ${issueId}; ${known}.`);
    });
  }
  if (merged.length > 0) return merged;
  throw new Fault('ISSUES_NOT_MERGED', `Issue ${issueId} has no merged issues.`);
}
