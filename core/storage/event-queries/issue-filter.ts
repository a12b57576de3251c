import { toIssueId } from '../../event/ids.js';
import { isOfIssue } from '../../query/match-query.js';
import type { QueryNode } from '../../query/query-ast.js';
import { beginTimeSlice } from '../../time-slice.js';
import { type IssueState, storedEventsOf } from '../index/content/issue-state.js';
import type { IssueSearch } from '../issue-queries/issue-search.js';
import type { IssueStatuses } from '../issue-queries/status-column.js';

/** With more issues, or more than one in this many events, scanning all events is faster. */
const MAX_ISSUES = 64;
const MIN_EVENTS_PER_MEMBER_EVENT = 20;
/** Issues between two checks of the clock. */
const ISSUES_PER_CLOCK_CHECK = 256;

/** The only issues whose events can match; undefined if the query does not limit them enough. */
export async function limitingIssues(
  query: QueryNode,
  search: IssueSearch,
  statuses: IssueStatuses,
): Promise<IssueState[] | undefined> {
  const nodes = (query.kind === 'and' ? query.nodes : [query]).filter(isAboutIssue);
  if (nodes.length === 0) return undefined;
  const { issues, segments } = search.content;
  const { merged } = statuses.lifecycles;
  const named = nodes.map(issueNamedBy).find((id) => id !== undefined);
  if (named !== undefined) {
    const issue = issues.get(named);
    return issue === undefined ? [] : [...(merged.membersOf(issue.ordinal) ?? [issue])];
  }
  await search.columns.refresh(merged.shown);
  const matches = search.matcher({ kind: 'and', nodes }, statuses);
  const mostEvents = segments.events / MIN_EVENTS_PER_MEMBER_EVENT;
  const slice = beginTimeSlice();
  const members: IssueState[] = [];
  let events = 0;
  for (let ordinal = search.columns.length - 1; ordinal >= 0; ordinal -= 1) {
    if (ordinal % ISSUES_PER_CLOCK_CHECK === 0 && slice.isOver) await slice.next();
    if (merged.hidden.has(ordinal) || !matches(ordinal)) continue;
    const issue = issues.inOrder[ordinal];
    for (const member of merged.membersOf(ordinal) ?? (issue === undefined ? [] : [issue])) {
      members.push(member);
      events += storedEventsOf(member);
    }
    if (members.length > MAX_ISSUES || events > mostEvents) return undefined;
  }
  return members;
}

/** Whether a term has the same result for all events of an issue. */
function isAboutIssue(node: QueryNode): boolean {
  switch (node.kind) {
    case 'and':
    case 'or':
      return node.nodes.length > 0 && node.nodes.every(isAboutIssue);
    case 'not':
      return isAboutIssue(node.node);
    case 'field':
      return isOfIssue(node.field);
    case 'text':
      return false;
  }
}

function issueNamedBy(node: QueryNode): ReturnType<typeof toIssueId> {
  if (node.kind !== 'field' || node.field.name !== 'issue_id' || node.test.kind !== 'pattern') return undefined;
  return node.test.pattern.length === 1 ? toIssueId(node.test.pattern[0]) : undefined;
}
