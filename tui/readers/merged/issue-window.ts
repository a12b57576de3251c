import type { IssueId } from '../../../core/event/ids.js';
import type { IssuePage, IssueSummary } from '../../../generated/reader-answers.js';
import type { CompareIssues } from './issue-order.js';
import type { SourceLink } from './source-link.js';

/** Where the list of one source goes on: null at its beginning, `end` where it has no more rows. */
export type SourceCursor = { readonly after: string | null } | 'end';

/** A page of one source and where it began. */
interface Chunk {
  readonly after: string | null;
  readonly rows: readonly IssueSummary[];
}

/** The rows of one source that are looked at to make a page: whole pages of its own list, one behind the other. */
export class IssueWindow {
  readonly link: SourceLink;
  readonly #compare: CompareIssues;
  readonly #isFromTop: boolean;
  readonly #chunks: Chunk[] = [];
  readonly #rows: IssueSummary[] = [];
  readonly #ids = new Set<IssueId>();
  #next: SourceCursor;
  /** Issues that match in this source, as its latest page said. */
  total = 0;

  constructor(link: SourceLink, start: SourceCursor, compare: CompareIssues) {
    this.link = link;
    this.#next = start;
    this.#compare = compare;
    this.#isFromTop = start !== 'end' && start.after === null;
  }

  get next(): SourceCursor {
    return this.#next;
  }

  get rows(): readonly IssueSummary[] {
    return this.#rows;
  }

  has(issueId: IssueId): boolean {
    return this.#ids.has(issueId);
  }

  /** The last row that was read: all others of this source stand behind it. Undefined where there are no others, or none was read. */
  get bound(): IssueSummary | undefined {
    return this.#next === 'end' ? undefined : this.#rows.at(-1);
  }

  /** Takes the page that begins at `next`; of one that is asked for behind the end only the total. */
  add(page: IssuePage): void {
    this.total = page.total;
    if (this.#next === 'end') return;
    const { after } = this.#next;
    this.#chunks.push({ after, rows: page.issues });
    this.#rows.push(...page.issues);
    for (const { issue_id } of page.issues) this.#ids.add(issue_id);
    // A page that leads to itself would be read for ever.
    const isOver = page.next_cursor === null || page.next_cursor === after;
    this.#next = isOver ? 'end' : { after: page.next_cursor };
  }

  /** Whether a row that came here after this window was read would have been in it. */
  covers(row: IssueSummary): boolean {
    const { bound } = this;
    const [first] = this.#rows;
    const isBelowTop = this.#isFromTop || (first !== undefined && this.#compare(row, first) >= 0);
    const isAboveEnd = this.#next === 'end' || (bound !== undefined && this.#compare(row, bound) <= 0);
    return isBelowTop && isAboveEnd;
  }

  /** Where the next page begins when those rows are done: pages that are done as a whole are not read again. Also the rows that will be. */
  rest(isDone: (row: IssueSummary) => boolean): { start: SourceCursor; rows: readonly IssueSummary[] } {
    const open = this.#chunks.findIndex(({ rows }) => !rows.every(isDone));
    const left = open === -1 ? [] : this.#chunks.slice(open);
    const [first] = left;
    return { start: first === undefined ? this.#next : { after: first.after }, rows: left.flatMap(({ rows }) => rows) };
  }
}
