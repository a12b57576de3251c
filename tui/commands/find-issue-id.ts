import type { FailureReader } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import { type IssueId, toIssueId } from '../../core/event/ids.js';

const ID_PREFIX = /^[0-9a-f]{8}[0-9a-f-]{0,27}$/i;

/**
 * Resolves an issue id, or a unique prefix of at least 8 characters. Throws `ARGUMENT_INVALID` if the text is malformed
 * or the prefix is ambiguous, and `ISSUE_NOT_FOUND` if nothing matches the prefix.
 */
export async function findIssueId(reader: FailureReader, typed: string): Promise<IssueId> {
  const issueId = toIssueId(typed);
  if (issueId !== undefined) return issueId;
  if (!ID_PREFIX.test(typed)) {
    throw new Fault('ARGUMENT_INVALID', `"${typed}" is not an issue id; \`faultline issues\` lists them.`);
  }
  const { issues, total } = await reader.listIssues({ query: `issue_id:${typed.toLowerCase()}*`, limit: 1 });
  const [issue] = issues;
  if (issue === undefined) throw issueNotFound(`${typed}…`);
  if (total === 1) return issue.issue_id;
  throw new Fault('ARGUMENT_INVALID', `${total} issue ids start with ${typed}; type more characters.`);
}

/** The Fault `ISSUE_NOT_FOUND` of an issue id or prefix. */
export function issueNotFound(id: string): Fault {
  return new Fault('ISSUE_NOT_FOUND', `Issue ${id} does not exist here; \`faultline issues\` lists all issues.`);
}
