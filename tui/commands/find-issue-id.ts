import type { FailureReader } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import { type IssueId, toIssueId } from '../../core/event/ids.js';

const ID_START = /^[0-9a-f]{8}[0-9a-f-]{0,27}$/i;

/**
 * The id that a person typed, or that of the one issue whose id begins with what they typed, 8 characters or more.
 * Throws `ARGUMENT_INVALID` for what is no id or the start of several, `ISSUE_NOT_FOUND` for the start of none.
 */
export async function findIssueId(reader: FailureReader, typed: string): Promise<IssueId> {
  const issueId = toIssueId(typed);
  if (issueId !== undefined) return issueId;
  if (!ID_START.test(typed)) {
    throw new Fault('ARGUMENT_INVALID', `"${typed}" is no issue id; \`faultline issues\` lists them.`);
  }
  const { issues, total } = await reader.listIssues({ query: `issue_id:${typed.toLowerCase()}*`, limit: 1 });
  const [issue] = issues;
  if (issue === undefined) {
    throw new Fault('ISSUE_NOT_FOUND', `There is no issue ${typed}… here; \`faultline issues\` lists them.`);
  }
  if (total === 1) return issue.issue_id;
  throw new Fault('ARGUMENT_INVALID', `The ids of ${total} issues begin with ${typed}; give more of it.`);
}
