import type { IssuesSince } from '../../generated/reader-answers.js';
import { addNumbers } from './add-numbers.js';
import { mergeIssues } from './merge-issues.js';

/** Unites issues since an instant: rates are summed, counts too, although an issue of two sources then counts twice. */
export function mergeSince(all: readonly IssuesSince[], limit: number): IssuesSince {
  const rows = new Map<string, IssuesSince['issues'][number]>();
  for (const row of all.flatMap(({ issues }) => issues)) {
    const other = rows.get(row.issue.issue_id);
    const sum = other && {
      issue: mergeIssues([other.issue, row.issue]),
      rate: other.rate + row.rate,
      rate_before: other.rate_before + row.rate_before,
    };
    rows.set(row.issue.issue_id, sum ?? row);
  }
  const growth = ({ rate, rate_before }: IssuesSince['issues'][number]): number => Math.abs(rate - rate_before);
  const issues = [...rows.values()].sort((one, other) => growth(other) - growth(one)).slice(0, limit);
  return { issues, counts: all.map(({ counts }) => counts).reduce(addNumbers) };
}
