import type { IssuePage, IssueSummary } from '../../generated/reader-answers.js';
import type { IssueId } from '../event/ids.js';
import type { SourceCursor } from './merged-cursor.js';
import type { CompareIssues } from './merged-issue-order.js';
import type { SourceLink } from './source-link.js';

interface Chunk {
  readonly after: string | null;
  readonly rows: readonly IssueSummary[];
}

/** Consecutive pages of one source's list, fetched to fill one merged page. */
export class IssueWindow {
  readonly link: SourceLink;
  readonly #compare: CompareIssues;
  readonly #isFromTop: boolean;
  readonly #chunks: Chunk[] = [];
  readonly rows: IssueSummary[] = [];
  readonly #ids = new Set<IssueId>();
  next: SourceCursor;
  /** Matching issues of this source, from its latest page. */
  total = 0;

  constructor(link: SourceLink, start: SourceCursor, compare: CompareIssues) {
    this.link = link;
    this.next = start;
    this.#compare = compare;
    this.#isFromTop = start === null;
  }

  has(issueId: IssueId): boolean {
    return this.#ids.has(issueId);
  }

  /** The last fetched row; every other row of the source sorts after it. Undefined if all rows, or none, were fetched. */
  get bound(): IssueSummary | undefined {
    return this.next === false ? undefined : this.rows.at(-1);
  }

  /** Appends the page at `next`; after the end only its total is used. */
  add(page: IssuePage): void {
    this.total = page.total;
    if (this.next === false) return;
    const after = this.next;
    this.#chunks.push({ after, rows: page.issues });
    this.rows.push(...page.issues);
    for (const { issue_id } of page.issues) this.#ids.add(issue_id);
    // A page whose cursor leads to itself would loop forever.
    this.next = page.next_cursor === null || page.next_cursor === after ? false : page.next_cursor;
  }

  /** Whether a row lies in the range of this window, so that it was added after the window was fetched. */
  covers(row: IssueSummary): boolean {
    const { bound } = this;
    const [first] = this.rows;
    const isBelowTop = this.#isFromTop || (first !== undefined && this.#compare(row, first) >= 0);
    const isAboveEnd = this.next === false || (bound !== undefined && this.#compare(row, bound) <= 0);
    return isBelowTop && isAboveEnd;
  }

  /** Returns the first page with a row that is not done, and the rows from there on. */
  rest(isDone: (row: IssueSummary) => boolean): { start: SourceCursor; rows: readonly IssueSummary[] } {
    const index = this.#chunks.findIndex(({ rows }) => !rows.every(isDone));
    const chunks = index === -1 ? [] : this.#chunks.slice(index);
    const start = chunks[0] === undefined ? this.next : chunks[0].after;
    return { start, rows: chunks.flatMap(({ rows }) => rows) };
  }
}
