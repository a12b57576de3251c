import type { FailureActions, FailureReader } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import type { IssueId } from '../../core/event/ids.js';
import type { ActionRequest, IssueDetail } from '../../generated/reader-answers.js';
import { stateWords } from '../format/issue/state-words.js';
import { neutralise } from '../text/visible.js';
import { findIssueId } from './find-issue-id.js';
import type { PrintingOptions } from './run-printing.js';
import { errorText, print, printJson } from './text-output.js';

export interface ActOptions extends PrintingOptions {
  store: FailureReader & FailureActions;
  /** The issues to act on, as a person typed them. */
  issues: readonly string[];
  /** What is done to each; other issues in it are `others`. */
  request: ActionRequest;
  /** Of `merge` and `split`: the other issues, as a person typed them; none of `split`: all that were merged. */
  others?: readonly string[];
}

const DONE = 0;
const FAILED = 1;
const USAGE = 2;
/** Faults of a call that is written wrongly. */
const USAGE_CODES: ReadonlySet<string> = new Set(['ARGUMENT_INVALID', 'ACTION_INVALID', 'SNOOZE_INVALID']);

/**
 * Acts on one issue after the other, and prints each as it is then: a line, or with `json` one document as the reading API answers it. What fails is told
 * by issue, and the others are done. Answers the exit code: 0, 1 where one failed, 2 where all failed because the call is wrong.
 */
export async function runAct(options: ActOptions): Promise<number> {
  const { issues, json, stdout, stderr } = options;
  const codes: string[] = [];
  for (const typed of issues) {
    try {
      const issue = await actOn(typed, options);
      if (json) await printJson(stdout, issue);
      else await print(stdout, `${issue.issue_id}  ${neutralise(stateWords(issue))}  ${neutralise(issue.title)}\n`);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      codes.push(error.code);
      await print(stderr, issues.length === 1 ? errorText(error) : `${neutralise(typed)}: ${errorText(error)}`);
    }
  }
  if (codes.length === 0) return DONE;
  return codes.length === issues.length && codes.every((code) => USAGE_CODES.has(code)) ? USAGE : FAILED;
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

/** Merged issues are in no list: they are found by the start of their id among those of the issue. */
async function mergedIds(reader: FailureReader, issueId: IssueId, typed: readonly string[]): Promise<IssueId[]> {
  const merged = (await reader.getIssue(issueId))?.merged ?? [];
  if (typed.length > 0) {
    return typed.flatMap((start) => {
      const lower = start.toLowerCase();
      const [found, second] = merged.filter((id) => id.startsWith(lower));
      if (found !== undefined && second === undefined && lower.length >= 8) return found;
      const there = merged.length === 0 ? 'none are' : merged.join(', ');
      throw new Fault(
        'ISSUES_NOT_MERGED',
        `${start} names none of the issues that are merged into ${issueId}: ${there}.`,
      );
    });
  }
  if (merged.length > 0) return merged;
  throw new Fault('ISSUES_NOT_MERGED', `Nothing is merged into issue ${issueId}.`);
}
