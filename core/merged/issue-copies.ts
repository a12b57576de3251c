import type { IssuePage, IssueSummary } from '../../generated/reader-answers.js';
import type { IssueId } from '../event/ids.js';
import { MAX_QUERY_LENGTH } from '../query/parse-query.js';
import { isRequestFault } from './connection.js';
import { mergeIssues } from './merge-issues.js';
import type { CompareIssues, MergedIssueOrder } from './merged-issue-order.js';
import type { SourceCursor } from './merged-pages.js';
import type { SourceLink } from './source-link.js';

interface IssueCopy {
  readonly window: IssueWindow;
  readonly row: IssueSummary;
  /** Whether it matches the list's query there. */
  readonly matches: boolean;
}

/** An issue of the merged list. */
export interface MergedRow {
  /** The copy that decides its position. */
  readonly listedRow: IssueSummary;
  readonly merged: IssueSummary;
  /** Names of the sources that have it. */
  readonly owners: readonly string[];
  /** Number of sources whose copy matches the query. */
  readonly listings: number;
}

/** Ids in one query: bounded by query length and by the number of values in a list. */
const MAX_IDS = 100;
const ID_LENGTH = 37;
const SYNTAX_LENGTH = '() issue_id:[]'.length;

/** Finds the copies that other sources have of the issues in the windows; each source is queried once per issue. */
export class IssueCopies {
  readonly #windows: readonly IssueWindow[];
  readonly #order: MergedIssueOrder;
  readonly #query: string;
  /** By source: the copies that were queried for; undefined: it has none. */
  readonly #copies: ReadonlyMap<IssueWindow, Map<IssueId, IssueCopy | undefined>>;
  readonly #mergedRows = new Map<IssueId, MergedRow | undefined>();

  constructor(windows: readonly IssueWindow[], order: MergedIssueOrder, query: string) {
    this.#windows = windows;
    this.#order = order;
    this.#query = query;
    this.#copies = new Map(windows.map((window) => [window, new Map()]));
  }

  /** Looks up the rows that were added to windows since the last call. */
  async refresh(): Promise<void> {
    const all = new Set(this.#windows.flatMap(({ rows }) => rows.map(({ issue_id }) => issue_id)));
    await Promise.all(
      [...this.#copies].map(async ([window, copies]) => {
        for (const row of window.rows) copies.set(row.issue_id, { window, row, matches: true });
        const missing = [...all].filter((id) => !copies.has(id));
        for (const id of missing) copies.set(id, undefined);
        for (const copy of await this.#lookUp(window, missing)) copies.set(copy.row.issue_id, copy);
      }),
    );
    this.#mergedRows.clear();
  }

  /** Lists an issue once: at the copy with the merged sort value, or the greatest of summed ones; undefined on another page. */
  mergedRow(issueId: IssueId): MergedRow | undefined {
    if (this.#mergedRows.has(issueId)) return this.#mergedRows.get(issueId);
    const row = this.#merge(issueId);
    this.#mergedRows.set(issueId, row);
    return row;
  }

  #merge(issueId: IssueId): MergedRow | undefined {
    const copies = [...this.#copies.values()].flatMap((ofWindow) => ofWindow.get(issueId) ?? []);
    const [first, ...others] = copies.map(({ row }) => row);
    if (first === undefined) return undefined;
    const merged = others.length === 0 ? first : mergeIssues([first, ...others]);
    const matching = copies.filter(({ matches }) => matches);
    const withSortValue = matching.filter(({ row }) => this.#order.compareValue(row, merged) === 0);
    const [lister] = (withSortValue.length > 0 ? withSortValue : matching).toSorted((one, other) =>
      this.#order.compare(one.row, other.row),
    );
    if (lister === undefined) return undefined;
    const { window, row } = lister;
    // The row may have been added after the window was fetched.
    if (!window.has(issueId) && !window.covers(row)) return undefined;
    const owners = copies.map((copy) => copy.window.link.name);
    return { listedRow: row, merged, owners, listings: matching.length };
  }

  async #lookUp(window: IssueWindow, issueIds: readonly IssueId[]): Promise<readonly IssueCopy[]> {
    if (issueIds.length === 0) return [];
    const rows = await lookUpIssues(window.link, issueIds, '');
    const ids = rows.map(({ issue_id }) => issue_id);
    if (ids.length === 0) return [];
    const isAll = this.#query.trim() === '';
    const matching = isAll ? rows : await lookUpIssues(window.link, ids, this.#query);
    const matchingIds = new Set(matching.map(({ issue_id }) => issue_id));
    return rows.map((row) => ({ window, row, matches: matchingIds.has(row.issue_id) }));
  }
}

async function lookUpIssues(
  link: SourceLink,
  issueIds: readonly IssueId[],
  query: string,
): Promise<readonly IssueSummary[]> {
  const fitting = Math.floor((MAX_QUERY_LENGTH - SYNTAX_LENGTH - query.length) / ID_LENGTH);
  const step = Math.max(1, Math.min(MAX_IDS, fitting));
  const starts = Array.from({ length: Math.ceil(issueIds.length / step) }, (_, chunk) => chunk * step);
  const pages = starts.map(async (start) => {
    const ids = issueIds.slice(start, start + step);
    const named = `issue_id:[${ids.join(',')}]`;
    const options = { query: query.trim() === '' ? named : `(${query}) ${named}`, limit: ids.length };
    try {
      const response = await link.queryIssues(`lookup ${options.query}`, (lists) => lists.listIssues(options));
      return 'value' in response ? response.value.issues : [];
    } catch (error) {
      // With the ids the query may be too long. A duplicate row is better than a failed list.
      if (isRequestFault(error) && query.trim() !== '') return [];
      throw error;
    }
  });
  return (await Promise.all(pages)).flat();
}

/** Consecutive pages of one source's list, fetched to fill one merged page. */
export class IssueWindow {
  readonly link: SourceLink;
  readonly #compare: CompareIssues;
  readonly #isFromTop: boolean;
  readonly #chunks: { readonly after: string | null; readonly rows: readonly IssueSummary[] }[] = [];
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
