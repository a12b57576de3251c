import type { FailureReader } from '../../../../core/contract/reader.js';
import { ISSUE_SORTS } from '../../../../core/contract/reader.js';
import type { EventSummary, IssueDetail, IssueSummary } from '../../../../generated/reader-answers.js';

/** Everything that a reader returns, except values that depend on the last checkpoint. */
export interface StoreView {
  readonly issues: Readonly<Record<string, readonly IssueSummary[]>>;
  readonly details: readonly (IssueDetail | undefined)[];
  /** By issue id, newest first. */
  readonly events: Readonly<Record<string, readonly EventSummary[]>>;
  readonly stats: { readonly events: number; readonly issues: number };
}

const PAGE = 500;

async function everyIssue(reader: FailureReader, sort: (typeof ISSUE_SORTS)[number]): Promise<IssueSummary[]> {
  const all: IssueSummary[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await reader.listIssues({ sort, limit: PAGE, ...(cursor && { cursor }) });
    all.push(...page.issues);
    cursor = page.next_cursor;
  }
  return all;
}

async function everyEvent(reader: FailureReader, { issue_id: issueId }: IssueSummary): Promise<EventSummary[]> {
  const all: EventSummary[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await reader.listEvents(issueId, { limit: PAGE, ...(cursor && { cursor }) });
    if (page === undefined) throw new Error(`${issueId} is listed, but cannot be read`);
    all.push(...page.events);
    cursor = page.next_cursor;
  }
  return all;
}

export async function viewOf(reader: FailureReader): Promise<StoreView> {
  const issues = Object.fromEntries(
    await Promise.all(ISSUE_SORTS.map(async (sort) => [sort, await everyIssue(reader, sort)] as const)),
  );
  const listed = issues['count'] ?? [];
  const [details, events, { events: eventCount, issues: issueCount }] = await Promise.all([
    Promise.all(listed.map(({ issue_id: id }) => reader.getIssue(id))),
    Promise.all(listed.map(async (issue) => [issue.issue_id, await everyEvent(reader, issue)] as const)),
    reader.stats(),
  ]);
  const stats = { events: eventCount, issues: issueCount };
  return { issues, details, events: Object.fromEntries(events), stats };
}
