import type { IssueListOptions } from '../../../core/contract/reader.js';
import { pageLimit } from '../../../core/storage/issue-queries/page-cursor.js';
import type { IssuePage, IssueSummary } from '../../../generated/reader-answers.js';
import type { DuplicateIssues } from './duplicate-issues.js';
import { IssueCopies, type MergedRow } from './issue-copies.js';
import {
  decodeIssuePosition,
  encodeIssuePosition,
  firstIssuePosition,
  type IssuePosition,
  shortId,
} from './issue-position.js';
import { IssueWindow } from './issue-window.js';
import { type MergedIssueOrder, mergedIssueOrder } from './merged-issue-order.js';
import { requireResult, type SourceGroup, type SourceResults } from './source-group.js';

/** Rows fetched from one source per page; a page that needs more ends early, with a cursor. */
const MAX_ROWS = 2_000;
/** The limit for summed values, whose order is exact only within these rows. */
const MAX_SUMMED_ROWS = 500;
const MIN_CHUNK_ROWS = 50;

/** Merges the issue lists of all sources, page by page, and records the owners of each issue. */
export class MergedIssueList {
  readonly #group: SourceGroup;
  readonly #duplicates: DuplicateIssues;
  readonly #nowMs: () => number;

  constructor(group: SourceGroup, duplicates: DuplicateIssues, nowMs: () => number) {
    this.#group = group;
    this.#duplicates = duplicates;
    this.#nowMs = nowMs;
  }

  /** Returns one page. Throws request faults of the sources, and `COLLECTOR_UNREACHABLE` if none responds. */
  async page(options: IssueListOptions): Promise<IssuePage> {
    const sources = this.#group.links.length;
    const position =
      options.cursor === undefined
        ? firstIssuePosition(sources)
        : decodeIssuePosition(options, options.cursor, sources);
    const reading = new PageReading(this.#group, options, position, this.#nowMs());
    const rows = await reading.rows();
    const list = JSON.stringify([options.query ?? '', reading.sources]);
    this.#duplicates.record(list, rows);
    const next = reading.next(rows);
    return {
      issues: rows.map(({ merged }) => merged),
      next_cursor: next === undefined ? null : encodeIssuePosition(options, next),
      total: Math.max(rows.length, reading.total - this.#duplicates.count(list)),
    };
  }
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
      (link, index) => new IssueWindow(link, position.starts[index] ?? 'end', this.#order.compare),
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
    if (rests.every(({ start }) => start === 'end')) return undefined;
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
      const next = byLink.get(link)?.next ?? 'end';
      const isOver = next === 'end';
      const page = {
        ...list,
        limit: isOver ? 1 : limit,
        ...(!isOver && next.after !== null && { cursor: next.after }),
      };
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
    if (next === 'end') return true;
    if (bound === undefined) return false;
    const { compare, summedValue } = this.#order;
    if (summedValue === undefined) return compare(listedRow, bound) <= 0;
    // An unfetched issue is listed at its greatest copy, so no copy exceeds the next value of that source.
    return summedValue(merged) > this.#windows.length * summedValue(bound);
  }

  /** Returns the windows that may have rows before the last row of a full page; empty once the row limit is reached. */
  #toReadOn(last: MergedRow | undefined): readonly IssueWindow[] {
    const blocking = this.#windows.filter(
      (window) => window.next !== 'end' && (last === undefined || !this.#isBefore(last, window)),
    );
    if (this.#order.summedValue !== undefined) return blocking.filter(({ rows }) => rows.length < MAX_SUMMED_ROWS);
    return blocking.some(({ rows }) => rows.length >= MAX_ROWS) ? [] : blocking;
  }
}
