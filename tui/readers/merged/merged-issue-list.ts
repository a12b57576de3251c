import type { IssueListOptions } from '../../../core/contract/reader.js';
import { pageLimit } from '../../../core/storage/issue-queries/page-cursor.js';
import type { IssuePage, IssueSummary } from '../../../generated/reader-answers.js';
import type { DuplicateIssues } from './duplicate-issues.js';
import { IssueCopies, type MergedRow } from './issue-copies.js';
import { IssueWindow } from './issue-window.js';
import { decodeMergedCursor, encodeMergedCursor, type SourceCursor } from './merged-cursor.js';
import { type MergedIssueOrder, mergedIssueOrder } from './merged-issue-order.js';
import { requireResult, type SourceGroup, type SourceResults } from './source-group.js';

/** Rows fetched from one source per page; a page that needs more ends early, with a cursor. */
const MAX_ROWS = 2_000;
/** The limit for summed values, whose order is exact only within these rows. */
const MAX_SUMMED_ROWS = 500;
const MIN_CHUNK_ROWS = 50;

/** Start of the next page of merged issues. */
interface IssuePosition {
  /** One per source, in the order of the sources. */
  readonly starts: readonly SourceCursor[];
  /** Short ids of issues after the starts that were already listed. */
  readonly shown: readonly string[];
}

/**
 * Merges one page of the issue lists of all sources, and records the owners of each issue. Throws request faults of the
 * sources, and `COLLECTOR_UNREACHABLE` if none responds.
 */
export async function mergedIssuePage(
  group: SourceGroup,
  duplicates: DuplicateIssues,
  options: IssueListOptions,
  nowMs: number,
): Promise<IssuePage> {
  const { query = '', sort = 'last_seen', cursor } = options;
  const name = JSON.stringify(['issues', query, sort]);
  const position: IssuePosition =
    cursor === undefined
      ? { starts: group.links.map(() => null), shown: [] }
      : decodeMergedCursor(name, cursor, group.links.length);
  const reading = new PageReading(group, options, position, nowMs);
  const rows = await reading.rows();
  const list = JSON.stringify([query, reading.sources]);
  duplicates.record(list, rows);
  const next = reading.next(rows);
  return {
    issues: rows.map(({ merged }) => merged),
    next_cursor: next === undefined ? null : encodeMergedCursor(name, next),
    total: Math.max(rows.length, reading.total - duplicates.count(list)),
  };
}

/** State of building one page. */
class PageReading {
  readonly #group: SourceGroup;
  readonly #options: IssueListOptions;
  readonly #order: MergedIssueOrder;
  readonly #limit: number;
  readonly #shown: ReadonlySet<string>;
  readonly #windows: readonly IssueWindow[];
  readonly #copies: IssueCopies;

  constructor(group: SourceGroup, options: IssueListOptions, position: IssuePosition, nowMs: number) {
    this.#group = group;
    this.#options = options;
    this.#order = mergedIssueOrder(options.sort ?? 'last_seen', nowMs);
    this.#limit = pageLimit(options.limit);
    this.#shown = new Set(position.shown);
    this.#windows = group.links.map(
      (link, index) => new IssueWindow(link, position.starts[index] ?? null, this.#order.compare),
    );
    this.#copies = new IssueCopies(this.#windows, this.#order, options.query ?? '');
  }

  /** Sum of the matching issues of the sources that responded, duplicates included. */
  get total(): number {
    return this.#windows.reduce((sum, { total }) => sum + total, 0);
  }

  /** Names of the sources that responded. */
  get sources(): readonly string[] {
    return this.#windows.map(({ link }) => link.name);
  }

  async rows(): Promise<readonly MergedRow[]> {
    // A source whose rows are all listed is queried too, for its total.
    requireResult(await this.#read(this.#windows));
    for (;;) {
      await this.#copies.refresh();
      const candidates = this.#candidates();
      const firstUnsafe = candidates.findIndex((row) => !this.#windows.every((window) => this.#isBefore(row, window)));
      const safe = firstUnsafe === -1 ? candidates.length : firstUnsafe;
      const wanted = this.#toReadOn(candidates[this.#limit - 1]);
      if (safe >= this.#limit || wanted.length === 0) {
        return candidates.slice(0, this.#order.summedValue === undefined ? Math.min(safe, this.#limit) : this.#limit);
      }
      await this.#read(wanted);
    }
  }

  /** Returns the start of the next page; undefined after the last. */
  next(listed: readonly MergedRow[]): IssuePosition | undefined {
    const shown = new Set([...this.#shown, ...listed.map(({ merged }) => shortId(merged.issue_id))]);
    const isDone = (row: IssueSummary): boolean =>
      shown.has(shortId(row.issue_id)) || this.#copies.mergedRow(row.issue_id) === undefined;
    const rests = this.#windows.map((window) => window.rest(isDone));
    if (rests.every(({ start }) => start === false)) return undefined;
    const behind = new Set(rests.flatMap(({ rows }) => rows.map(({ issue_id }) => shortId(issue_id))));
    return {
      starts: rests.map(({ start }) => start),
      shown: [...shown].filter((id) => behind.has(id)),
    };
  }

  /** Fetches the next page of each window; a lost source has what was read before. */
  async #read(windows: readonly IssueWindow[]): Promise<SourceResults<IssuePage>> {
    const { cursor: _cursor, limit: _limit, ...list } = this.#options;
    const limit = Math.max(MIN_CHUNK_ROWS, this.#limit);
    const byLink = new Map(windows.map((window) => [window.link, window]));
    const round = await this.#group.queryEach([...byLink.keys()], (link) => {
      const next = byLink.get(link)?.next;
      const page = { ...list, limit: next === false ? 1 : limit, ...(typeof next === 'string' && { cursor: next }) };
      return link.queryIssues(`issues ${JSON.stringify(page)}`, (lists) => lists.listIssues(page));
    });
    for (const { link, value } of round.results) byLink.get(link)?.add(value);
    return round;
  }

  /** Returns the merged rows that are not listed yet, in order. */
  #candidates(): MergedRow[] {
    const ids = new Set(this.#windows.flatMap(({ rows }) => rows.map(({ issue_id }) => issue_id)));
    const rows = [...ids]
      .filter((id) => !this.#shown.has(shortId(id)))
      .flatMap((id) => this.#copies.mergedRow(id) ?? []);
    const { compare, summedValue } = this.#order;
    return rows.sort((one, other) =>
      summedValue === undefined ? compare(one.listedRow, other.listedRow) : compare(one.merged, other.merged),
    );
  }

  /** Whether no unfetched row of a window can sort before a row. */
  #isBefore({ listedRow, merged }: MergedRow, { next, bound }: IssueWindow): boolean {
    if (next === false) return true;
    if (bound === undefined) return false;
    const { compare, summedValue } = this.#order;
    if (summedValue === undefined) return compare(listedRow, bound) <= 0;
    // An unfetched issue is listed at its greatest copy, so no copy exceeds the next value of that source.
    return summedValue(merged) > this.#windows.length * summedValue(bound);
  }

  /** Returns the windows that may have rows before the last row of a full page; empty once the row limit is reached. */
  #toReadOn(last: MergedRow | undefined): readonly IssueWindow[] {
    const blocking = this.#windows.filter(
      (window) => window.next !== false && (last === undefined || !this.#isBefore(last, window)),
    );
    if (this.#order.summedValue !== undefined) return blocking.filter(({ rows }) => rows.length < MAX_SUMMED_ROWS);
    return blocking.some(({ rows }) => rows.length >= MAX_ROWS) ? [] : blocking;
  }
}

/** An issue id as base64url, which keeps cursors short. */
function shortId(issueId: string): string {
  return Buffer.from(issueId.replaceAll('-', ''), 'hex').toString('base64url');
}
