import { LRUCache } from 'lru-cache';
import type { IssuePage, IssueSummary } from '../../generated/reader-answers.js';
import type { IssueListOptions } from '../contract/reader.js';
import type { IssueId } from '../event/ids.js';
import { pageLimit } from '../storage/issue-queries/page-cursor.js';
import { IssueCopies, IssueWindow, type MergedRow } from './issue-copies.js';
import { type MergedIssueOrder, mergedIssueOrder } from './merged-issue-order.js';
import { decodeMergedCursor, encodeMergedCursor, listKey, type SourceCursor } from './merged-pages.js';
import { requireResult, type SourceGroup, type SourceResults } from './source-group.js';

/** Rows fetched from one source per page; a page that needs more ends early, with a cursor. */
const MAX_ROWS = 2_000;
/** The limit for summed values, whose order is exact only within these rows. */
const MAX_SUMMED_ROWS = 500;
const MIN_CHUNK_ROWS = 50;
/** Those in a cursor, of eight characters: a cursor with many must fit into the URL of a request. */
const SHORT_IDS = /.{8}/g;

interface IssuePosition {
  /** One per source, in the order of the sources. */
  readonly starts: readonly SourceCursor[];
  /** Short ids of issues after the starts that were already listed, without separators. */
  readonly shown: string;
}

/** Merges one page of all lists and records owners. Throws request faults, and `COLLECTOR_UNREACHABLE` if no source responds. */
export async function mergedIssuePage(
  group: SourceGroup,
  duplicates: DuplicateIssues,
  options: IssueListOptions,
  nowMs: number,
): Promise<IssuePage> {
  const { query = '', sort = 'last_seen', cursor } = options;
  const name = listKey(['issues', query, sort], group.links);
  const position: IssuePosition =
    cursor === undefined
      ? { starts: group.links.map(() => null), shown: '' }
      : decodeMergedCursor(name, cursor, group.links.length);
  const lists = new IssueLists(group, position, options, mergedIssueOrder(sort, nowMs));
  const rows = await lists.readPage();
  const list = JSON.stringify([query, group.links.map((link) => link.name)]);
  duplicates.record(list, rows);
  const next = lists.positionAfter(rows);
  return {
    issues: rows.map(({ merged }) => merged),
    next_cursor: next === undefined ? null : encodeMergedCursor(name, next),
    total: Math.max(rows.length, lists.totalWithDuplicates - duplicates.count(list)),
  };
}

/** The lists of all sources, read as far as one merged page needs them. */
class IssueLists {
  readonly #group: SourceGroup;
  readonly #options: IssueListOptions;
  readonly #limit: number;
  readonly #order: MergedIssueOrder;
  /** Short ids of issues that earlier pages listed. */
  readonly #shown: ReadonlySet<string>;
  readonly #windows: readonly IssueWindow[];
  readonly #copies: IssueCopies;
  /** Windows of sources that do not respond: the page ends without them, and the next one tries them again. */
  readonly #lost = new Set<IssueWindow>();

  constructor(
    group: SourceGroup,
    { starts, shown }: IssuePosition,
    options: IssueListOptions,
    order: MergedIssueOrder,
  ) {
    this.#group = group;
    this.#options = options;
    this.#limit = pageLimit(options.limit);
    this.#order = order;
    this.#shown = new Set(shown.match(SHORT_IDS));
    this.#windows = group.links.map((link, index) => new IssueWindow(link, starts[index] ?? null, order.compare));
    this.#copies = new IssueCopies(this.#windows, order, options.query ?? '');
  }

  get totalWithDuplicates(): number {
    return this.#windows.reduce((sum, window) => sum + window.total, 0);
  }

  /** Reads until the rows of the page are certain. */
  async readPage(): Promise<readonly MergedRow[]> {
    // A source whose rows are all listed is queried too, for its total.
    requireResult(await this.#read(this.#windows));
    for (;;) {
      await this.#copies.refresh();
      const candidates = this.#unlistedRows();
      const firstUnsafe = candidates.findIndex((row) => !this.#windows.every((window) => this.#isBefore(row, window)));
      const safe = firstUnsafe === -1 ? candidates.length : firstUnsafe;
      const wanted = this.#toReadOn(candidates[this.#limit - 1]);
      if (safe >= this.#limit || wanted.length === 0) {
        const isExact = this.#order.summedValue === undefined;
        return candidates.slice(0, isExact ? Math.min(safe, this.#limit) : this.#limit);
      }
      await this.#read(wanted);
    }
  }

  /** Where the page after some listed rows begins; undefined at the end. */
  positionAfter(listed: readonly MergedRow[]): IssuePosition | undefined {
    const listedIds = new Set([...this.#shown, ...listed.map(({ merged }) => shortId(merged.issue_id))]);
    const isDone = (row: IssueSummary): boolean =>
      listedIds.has(shortId(row.issue_id)) || this.#copies.mergedRow(row.issue_id) === undefined;
    const rests = this.#windows.map((window) => window.rest(isDone));
    const isOver = this.#windows.every((window, index) => this.#lost.has(window) || rests[index]?.start === false);
    if (isOver) return undefined;
    const behind = new Set(rests.flatMap(({ rows }) => rows.map(({ issue_id }) => shortId(issue_id))));
    return {
      starts: rests.map(({ start }) => start),
      shown: [...listedIds].filter((id) => behind.has(id)).join(''),
    };
  }

  async #read(wanted: readonly IssueWindow[]): Promise<SourceResults<IssuePage>> {
    const { cursor: _cursor, limit: _limit, ...list } = this.#options;
    const chunk = Math.max(MIN_CHUNK_ROWS, Math.ceil(this.#limit / this.#windows.length));
    const byLink = new Map(wanted.map((window) => [window.link, window]));
    const round = await this.#group.queryEach([...byLink.keys()], (link) => {
      const next = byLink.get(link)?.next;
      const page = { ...list, limit: next === false ? 1 : chunk, ...(typeof next === 'string' && { cursor: next }) };
      return link.queryIssues(`issues ${JSON.stringify(page)}`, (lists) => lists.listIssues(page));
    });
    for (const { link, value } of round.results) byLink.get(link)?.add(value);
    const responded = new Set(round.results.map(({ link }) => link));
    for (const window of wanted) if (!responded.has(window.link)) this.#lost.add(window);
    return round;
  }

  #unlistedRows(): MergedRow[] {
    const { compare, summedValue } = this.#order;
    const ids = new Set(this.#windows.flatMap(({ rows }) => rows.map(({ issue_id }) => issue_id)));
    const rows = [...ids]
      .filter((id) => !this.#shown.has(shortId(id)))
      .flatMap((id) => this.#copies.mergedRow(id) ?? []);
    return rows.sort((one, other) =>
      summedValue === undefined ? compare(one.listedRow, other.listedRow) : compare(one.merged, other.merged),
    );
  }

  /** Whether no unfetched row of a window can sort before a row. */
  #isBefore({ listedRow, merged }: MergedRow, window: IssueWindow): boolean {
    const { compare, summedValue } = this.#order;
    const { next, bound } = window;
    if (next === false || this.#lost.has(window)) return true;
    if (bound === undefined) return false;
    if (summedValue === undefined) return compare(listedRow, bound) <= 0;
    // An unfetched issue is listed at its greatest copy, so no copy exceeds the next value of that source.
    return summedValue(merged) > this.#windows.length * summedValue(bound);
  }

  /** Returns the windows that may have rows before the last row of a full page; empty once the row limit is reached. */
  #toReadOn(last: MergedRow | undefined): readonly IssueWindow[] {
    const blocking = this.#windows.filter(
      (window) =>
        window.next !== false && !this.#lost.has(window) && (last === undefined || !this.#isBefore(last, window)),
    );
    if (this.#order.summedValue !== undefined) return blocking.filter(({ rows }) => rows.length < MAX_SUMMED_ROWS);
    return blocking.some(({ rows }) => rows.length >= MAX_ROWS) ? [] : blocking;
  }
}

/** The last 48 bits of an issue id as base64url. */
function shortId(issueId: string): string {
  return Buffer.from(issueId.slice(-12), 'hex').toString('base64url');
}

const MAX_LISTS = 16;
/** Issues with known owners, and duplicates of one list. */
const MAX_ISSUES = 100_000;

/** The owners of all issues read so far, and the number of duplicates in each list. */
export class DuplicateIssues {
  readonly #owners = new LRUCache<IssueId, readonly string[]>({ max: MAX_ISSUES });
  /** By list: the number of further sources that list an issue. */
  readonly #duplicates = new LRUCache<string, Map<IssueId, number>>({ max: MAX_LISTS });

  /** Records the rows of a page; `list` identifies query and sources. */
  record(list: string, rows: readonly MergedRow[]): void {
    const duplicates = this.#duplicates.get(list) ?? new Map<IssueId, number>();
    this.#duplicates.set(list, duplicates);
    for (const { merged, owners, listings } of rows) {
      this.recordOwners(merged.issue_id, owners);
      if (listings > 1) duplicates.set(merged.issue_id, listings - 1);
      else duplicates.delete(merged.issue_id);
    }
    for (const id of duplicates.keys()) if (duplicates.size > MAX_ISSUES) duplicates.delete(id);
  }

  recordOwners(issueId: IssueId, owners: readonly string[]): void {
    this.#owners.set(issueId, owners);
  }

  /** Returns source names; empty for an issue that was not read yet. */
  ownersOf(issueId: IssueId): readonly string[] {
    return this.#owners.peek(issueId) ?? [];
  }

  /** Returns the number of rows to subtract from the sum of the sources' totals. */
  count(list: string): number {
    return [...(this.#duplicates.peek(list)?.values() ?? [])].reduce((sum, count) => sum + count, 0);
  }
}
