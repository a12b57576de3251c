import { LRUCache } from 'lru-cache';
import type { IssueCounts, IssuePage, IssueSummary } from '../../generated/reader-answers.js';
import type { FailureReader, IssueCountOptions, IssueListOptions } from '../contract/reader.js';
import type { IssueId } from '../event/ids.js';
import { issueMatcher } from '../query/match-query.js';
import { parseQuery } from '../query/parse-query.js';
import { searchableSummary } from '../storage/issue-queries/issue-summary.js';
import { invalidCursor, pageLimit } from '../storage/issue-queries/page-cursor.js';
import { hasSign, mergedIssueOrder } from './merged-issue-order.js';

/** Bounds the memory, and the time of a call. */
const MAX_ISSUES = 10_000;

/** What a lost source answers instead. */
export type IssueLists = Pick<FailureReader, 'listIssues' | 'countIssues'>;

/** The issues of one source that were read last, listed and counted like by the source itself. */
export class RememberedIssues implements IssueLists {
  readonly #nowMs: () => number;
  readonly #issues = new LRUCache<IssueId, IssueSummary>({ max: MAX_ISSUES });

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  record(issues: readonly IssueSummary[]): void {
    for (const issue of issues) this.#issues.set(issue.issue_id, issue);
  }

  /** Replaces all by the first page of an unfiltered list, unless it has further pages. */
  replace({ issues, next_cursor }: IssuePage): void {
    if (next_cursor === null) this.#issues.clear();
    this.record(issues);
  }

  /** A cursor is the id of the last issue of a page. */
  async listIssues({ query, sort = 'last_seen', limit, cursor }: IssueListOptions = {}): Promise<IssuePage> {
    const rows = this.#matching(query).sort(mergedIssueOrder(sort, this.#nowMs()).compare);
    const from = cursor === undefined ? 0 : rows.findIndex(({ issue_id }) => issue_id === cursor) + 1;
    if (cursor !== undefined && from === 0) throw invalidCursor();
    const issues = rows.slice(from, from + pageLimit(limit));
    const isOver = from + issues.length >= rows.length;
    return { issues, next_cursor: isOver ? null : (issues.at(-1)?.issue_id ?? null), total: rows.length };
  }

  async countIssues({ query, me }: IssueCountOptions = {}): Promise<IssueCounts> {
    const matching = this.#matching(query);
    const open = matching.filter(({ status }) => status === 'open');
    return {
      all: matching.length,
      open: open.length,
      review: open.filter(hasSign).length,
      mine: open.filter(({ assignee }) => assignee !== null && assignee.toLowerCase() === me?.toLowerCase()).length,
      new: open.filter(({ is_new }) => is_new).length,
      regressed: matching.filter(({ regressed }) => regressed).length,
      ignored: matching.filter(({ status }) => status === 'ignored').length,
      resolved: matching.filter(({ status }) => status === 'resolved').length,
      spiking: matching.filter(({ spiking }) => spiking).length,
    };
  }

  #matching(query = ''): IssueSummary[] {
    const matches = issueMatcher(parseQuery(query, 'issues'), this.#nowMs());
    return [...this.#issues.values()].filter((issue) => {
      const times = { firstSeenMs: Date.parse(issue.first_seen), lastSeenMs: Date.parse(issue.last_seen) };
      const { title, error_name: errorName, message } = issue;
      return matches(searchableSummary(issue, times, [{ title, errorName, message }]));
    });
  }
}
