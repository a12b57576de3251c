import type { IssueListOptions } from '../../../core/contract/reader.js';
import { pageLimit } from '../../../core/storage/issue-queries/page-cursor.js';
import type { IssuePage, IssueSummary } from '../../../generated/reader-answers.js';
import { IssueHoldings, type MergedRow } from './issue-holdings.js';
import { compareGroups, type IssueOrder, issueOrder } from './issue-order.js';
import {
  decodeIssuePosition,
  encodeIssuePosition,
  firstIssuePosition,
  type IssuePosition,
  shortId,
} from './issue-position.js';
import { IssueWindow } from './issue-window.js';
import type { KnownDoubles } from './known-doubles.js';
import { type Round, type SourceCircle, someTold } from './source-circle.js';

/** Rows of one source that are looked at for one page; then it ends, full or not, with a cursor to go on. */
const MAX_ROWS = 2_000;
/** The same where values add up: the order is exact as far as these rows can tell. */
const MAX_SUMMED_ROWS = 500;
/** Issues that a cursor names as listed; more come together only while a source is lost. */
const MAX_SHOWN = 10_000;
/** A source's page is never asked for with fewer rows. */
const MIN_CHUNK_ROWS = 50;

/** Merges the issue lists of all sources, page by page; remembers of what it lists which sources have it. */
export class MergedIssueList {
  readonly #circle: SourceCircle;
  readonly #doubles: KnownDoubles;

  constructor(circle: SourceCircle, doubles: KnownDoubles) {
    this.#circle = circle;
    this.#doubles = doubles;
  }

  /** The page that `options` ask for. Throws what a source says of query and cursor, and `COLLECTOR_UNREACHABLE` where none answers. */
  async page(options: IssueListOptions): Promise<IssuePage> {
    const sources = this.#circle.links.length;
    const position =
      options.cursor === undefined
        ? firstIssuePosition(sources)
        : decodeIssuePosition(options, options.cursor, sources);
    const reading = new PageReading(this.#circle, options, position);
    const rows = await reading.rows();
    const list = JSON.stringify([options.query ?? '', reading.sources]);
    this.#doubles.learn(list, rows);
    const next = reading.next(rows);
    return {
      issues: rows.map(({ whole }) => whole),
      next_cursor: next === undefined ? null : encodeIssuePosition(options, next),
      total: Math.max(rows.length, reading.total - this.#doubles.count(list)),
    };
  }
}

/** One page in the making. */
class PageReading {
  readonly #circle: SourceCircle;
  readonly #options: IssueListOptions;
  readonly #position: IssuePosition;
  readonly #order: IssueOrder;
  readonly #limit: number;
  readonly #shown: ReadonlySet<string>;
  #windows: readonly IssueWindow[] = [];
  #holdings: IssueHoldings;

  constructor(circle: SourceCircle, options: IssueListOptions, position: IssuePosition) {
    this.#circle = circle;
    this.#options = options;
    this.#position = position;
    this.#order = issueOrder(options.sort ?? 'last_seen', options.group);
    this.#limit = pageLimit(options.limit);
    this.#shown = new Set(position.shown);
    this.#holdings = this.#holdingsOf([]);
  }

  /** Issues that match in the sources that answered, doubles counted for each. */
  get total(): number {
    return this.#windows.reduce((sum, { total }) => sum + total, 0);
  }

  /** Names of the sources that answered. */
  get sources(): readonly string[] {
    return this.#windows.map(({ link }) => link.name);
  }

  async rows(): Promise<readonly MergedRow[]> {
    const windows = this.#circle.links.map(
      (link, index) => new IssueWindow(link, this.#position.starts[index] ?? 'end', this.#order.compare),
    );
    // Also a source whose rows are all listed is asked, for its total.
    this.#use(windows, await this.#read(windows, someTold));
    for (;;) {
      await this.#holdings.refresh();
      const candidates = this.#candidates();
      const firstUnsafe = candidates.findIndex((row) => !this.#windows.every((window) => this.#isBefore(row, window)));
      const safe = firstUnsafe === -1 ? candidates.length : firstUnsafe;
      const wanted = this.#toReadOn(candidates[this.#limit - 1]);
      if (safe >= this.#limit || wanted.length === 0) {
        return candidates.slice(0, this.#order.sum === undefined ? Math.min(safe, this.#limit) : this.#limit);
      }
      const answered = await this.#read(wanted);
      if (wanted.some((window) => !answered.has(window))) {
        this.#use(this.#windows, new Set(this.#windows.filter((one) => !wanted.includes(one) || answered.has(one))));
      }
    }
  }

  /** Where the next page begins; undefined where everything that answers was listed. */
  next(listed: readonly MergedRow[]): IssuePosition | undefined {
    const shown = new Set([...this.#shown, ...listed.map(({ whole }) => shortId(whole.issue_id))]);
    const isDone = (row: IssueSummary): boolean =>
      shown.has(shortId(row.issue_id)) || this.#holdings.mergedRow(row.issue_id) === undefined;
    const rests = new Map(this.#windows.map((window) => [window.link, window.rest(isDone)]));
    if ([...rests.values()].every(({ start }) => start === 'end')) return undefined;
    const isPartial = this.#windows.length < this.#circle.links.length;
    const behind = new Set([...rests.values()].flatMap(({ rows }) => rows.map(({ issue_id }) => shortId(issue_id))));
    return {
      starts: this.#circle.links.map((link, index) => rests.get(link)?.start ?? this.#position.starts[index] ?? 'end'),
      // A silent source may bring back what was listed before.
      shown: [...shown].filter((id) => behind.has(id) || (isPartial && this.#shown.has(id))).slice(-MAX_SHOWN),
    };
  }

  /** Reads on in those windows and answers which ones did. */
  async #read(
    windows: readonly IssueWindow[],
    check: (round: Round<IssuePage>) => Round<IssuePage> = (round) => round,
  ): Promise<ReadonlySet<IssueWindow>> {
    const { cursor: _cursor, limit: _limit, ...list } = this.#options;
    const limit = Math.max(MIN_CHUNK_ROWS, this.#limit);
    const byLink = new Map(windows.map((window) => [window.link, window]));
    const round = await this.#circle.askEach([...byLink.keys()], (link) => {
      const next = byLink.get(link)?.next ?? 'end';
      const isOver = next === 'end';
      const page = {
        ...list,
        limit: isOver ? 1 : limit,
        ...(!isOver && next.after !== null && { cursor: next.after }),
      };
      return { key: `issues ${JSON.stringify(page)}`, call: (reader) => reader.listIssues(page) };
    });
    const { told } = check(round);
    const answered = new Set<IssueWindow>();
    for (const { link, value } of told) {
      const window = byLink.get(link);
      if (window === undefined) continue;
      window.add(value);
      answered.add(window);
    }
    return answered;
  }

  /** What can be listed, in order. */
  #candidates(): MergedRow[] {
    const ids = new Set(this.#windows.flatMap(({ rows }) => rows.map(({ issue_id }) => issue_id)));
    const rows = [...ids]
      .filter((id) => !this.#shown.has(shortId(id)))
      .flatMap((id) => this.#holdings.mergedRow(id) ?? []);
    const { compare, sum } = this.#order;
    return rows.sort((one, other) =>
      sum === undefined ? compare(one.place, other.place) : compare(one.whole, other.whole),
    );
  }

  /** Whether nothing that a window did not read yet can stand before a row. */
  #isBefore({ place, whole }: MergedRow, { next, bound }: IssueWindow): boolean {
    if (next === 'end') return true;
    if (bound === undefined) return false;
    const { compare, sum } = this.#order;
    if (sum === undefined) return compare(place, bound) <= 0;
    const between = this.#options.group === undefined ? 0 : compareGroups(whole, bound);
    // An unread issue is listed by the source with its greatest part, so that each part is at most what that source comes to next.
    return between === 0 ? sum(whole) > this.#windows.length * sum(bound) : between < 0;
  }

  /** The windows that may hold something before the last row of a full page; none where as many rows were read as may be for one page. */
  #toReadOn(last: MergedRow | undefined): readonly IssueWindow[] {
    const blocking = this.#windows.filter(
      (window) => window.next !== 'end' && (last === undefined || !this.#isBefore(last, window)),
    );
    if (this.#order.sum !== undefined) return blocking.filter(({ rows }) => rows.length < MAX_SUMMED_ROWS);
    return blocking.some(({ rows }) => rows.length >= MAX_ROWS) ? [] : blocking;
  }

  /** Leaves out the windows of sources that did not answer. */
  #use(windows: readonly IssueWindow[], answered: ReadonlySet<IssueWindow>): void {
    this.#windows = windows.filter((window) => answered.has(window));
    this.#holdings = this.#holdingsOf(this.#windows);
  }

  #holdingsOf(windows: readonly IssueWindow[]): IssueHoldings {
    return new IssueHoldings(windows, this.#order, this.#options.query ?? '');
  }
}
