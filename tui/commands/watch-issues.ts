import type { FailureReader } from '../../core/reader.js';
import type { IssuePage, IssueSummary } from '../../generated/reader-answers.js';
import { collectPages } from './collect-pages.js';

export interface WatchIssuesOptions {
  reader: FailureReader;
  /** Absent: all issues. */
  query?: string | undefined;
  /** Issues that are told at the start, those that were seen last. */
  limit: number;
  /** Is given issues in the order in which they were last seen, the latest at the end. */
  tell: (issues: readonly IssueSummary[]) => Promise<void>;
}

/** Rows of a look; more are read only where all of them changed. */
const LOOK_ROWS = 100;
const MAX_PAGES = 20;

/**
 * Makes the look of a watch: the first one tells the latest issues, each further one those that are new or changed, as they are then. What people do to an issue is told while it is
 * among the hundred that were seen last; what only the clock changes is not told.
 */
export function issueLook({ reader, query, limit, tell }: WatchIssuesOptions): () => Promise<void> {
  const readPage = (range: { limit: number; cursor?: string }): Promise<IssuePage> =>
    reader.listIssues({ ...range, sort: 'last_seen', ...(query !== undefined && { query }) });
  let told: ReadonlyMap<string, string> | undefined;
  /** Where the last look ended; undefined where it saw every issue. What comes up from below is not new. */
  let floor: string | undefined;

  async function readChanged(known: ReadonlyMap<string, string>) {
    const rows: IssueSummary[] = [];
    let next: string | null = null;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { issues, next_cursor: cursor }: IssuePage = await readPage({
        limit: LOOK_ROWS,
        ...(next !== null && { cursor: next }),
      });
      rows.push(...issues);
      next = cursor;
      if (next === null || issues.some((issue) => known.get(issue.issue_id) === stateOf(issue))) break;
    }
    return { rows, hasMore: next !== null };
  }

  async function firstRows() {
    const { rows, nextCursor } = await collectPages<IssueSummary>(Math.max(limit, LOOK_ROWS), async (range) => {
      const page = await readPage(range);
      return { rows: page.issues, nextCursor: page.next_cursor };
    });
    return { rows, hasMore: nextCursor !== null };
  }

  return async () => {
    const known = told;
    const { rows, hasMore } = known === undefined ? await firstRows() : await readChanged(known);
    const isNews = (issue: IssueSummary): boolean => {
      const before = known?.get(issue.issue_id);
      if (before !== undefined) return before !== stateOf(issue);
      return floor === undefined || issue.last_seen >= floor;
    };
    const news = known === undefined ? rows.slice(0, limit) : rows.filter(isNews);
    told = new Map(rows.map((issue) => [issue.issue_id, stateOf(issue)]));
    floor = hasMore ? rows.at(-1)?.last_seen : undefined;
    await tell(news.toReversed());
  };
}

/** All of an issue that events and people change. */
function stateOf(issue: IssueSummary): string {
  const { count, removed_events: removed, last_seen, level, status, regressed, assignee, snooze, resolved_in } = issue;
  // Retention moves events from one count to the other.
  return JSON.stringify([
    ...[count + removed, last_seen, level, status, regressed, assignee, snooze, resolved_in],
    issue.merged,
  ]);
}
