import type { IssuesSince, Releases } from '../../generated/reader-answers.js';
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

/** Unites releases of the same name: events are summed, and the earliest time counts. */
export function mergeReleases(all: readonly Releases[], limit: number): Releases {
  const byName = new Map<string, Releases['releases'][number]>();
  for (const release of all.flatMap(({ releases }) => releases)) {
    const other = byName.get(release.name);
    const first_seen =
      other === undefined || release.first_seen < other.first_seen ? release.first_seen : other.first_seen;
    byName.set(release.name, { name: release.name, first_seen, events: release.events + (other?.events ?? 0) });
  }
  const releases = [...byName.values()].sort((one, other) => (one.first_seen > other.first_seen ? -1 : 1));
  return { releases: releases.slice(0, limit), total: Math.max(releases.length, ...all.map(({ total }) => total)) };
}
