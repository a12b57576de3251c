import type { FailureReader } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import { type IssueId, toIssueId } from '../../core/event/ids.js';
import { failureTitle } from '../../core/issues/failure-title.js';

const ID_PREFIX = /^[0-9a-f]{8}[0-9a-f-]{0,27}$/i;
const MAX_LISTED = 10;

/**
 * Resolves an issue id, or a unique prefix of at least 8 characters. Throws `ARGUMENT_INVALID` if the text is malformed
 * or the prefix is ambiguous (then it lists the issues), and `ISSUE_NOT_FOUND` if nothing matches the prefix.
 */
export async function findIssueId(reader: FailureReader, typed: string): Promise<IssueId> {
  const issueId = toIssueId(typed);
  if (issueId !== undefined) return issueId;
  if (!ID_PREFIX.test(typed))
    throw new Fault('ARGUMENT_INVALID', `"${typed}" is not an issue id. See faultline issues.`);
  const { issues, total } = await reader.listIssues({ query: `issue_id:${typed.toLowerCase()}*`, limit: MAX_LISTED });
  const [issue] = issues;
  if (issue === undefined) throw issueNotFound(typed);
  if (total === 1) return issue.issue_id;
  const lines = issues.map(({ issue_id: id, error_name, message }) => `  ${id}  ${failureTitle(error_name, message)}`);
  throw new Fault('ARGUMENT_INVALID', [`${total} issues start with ${typed}:`, ...lines].join('\n'));
}

/** The Fault `ISSUE_NOT_FOUND` of an issue id or prefix. */
export function issueNotFound(id: string): Fault {
  return new Fault('ISSUE_NOT_FOUND', `No issue ${id}. See faultline issues.`);
}
