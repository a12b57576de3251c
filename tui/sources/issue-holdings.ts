import type { IssueId } from '../../core/event/ids.js';
import type { IssueSummary } from '../../core/reader.js';
import { lookUpIssues } from './issue-lookup.js';
import type { IssueOrder } from './issue-order.js';
import type { IssueWindow } from './issue-window.js';
import { mergeIssues } from './merge-issues.js';

/** An issue in one source. */
interface Holding {
  readonly window: IssueWindow;
  readonly row: IssueSummary;
  /** Whether the list's query finds it there. */
  readonly matches: boolean;
}

/** An issue of the merged list. */
export interface MergedRow {
  /** The row of the source at whose place it is listed. */
  readonly place: IssueSummary;
  /** Over all sources that have it. */
  readonly whole: IssueSummary;
  /** Names of the sources that have it. */
  readonly owners: readonly string[];
  /** How many sources list it under the query. */
  readonly listings: number;
}

/** Which sources have the issues that stand in the windows; each is asked once for what the others showed. */
export class IssueHoldings {
  readonly #windows: readonly IssueWindow[];
  readonly #order: IssueOrder;
  readonly #query: string;
  /** What each source was asked for that its window does not hold. */
  readonly #asked = new Map<IssueWindow, Set<IssueId>>();
  readonly #found = new Map<IssueWindow, Map<IssueId, Holding>>();
  readonly #merged = new Map<IssueId, MergedRow | undefined>();

  constructor(windows: readonly IssueWindow[], order: IssueOrder, query: string) {
    this.#windows = windows;
    this.#order = order;
    this.#query = query;
  }

  /** Asks for what the windows showed since the last time. */
  async refresh(): Promise<void> {
    const all = new Set(this.#windows.flatMap(({ rows }) => rows.map(({ issue_id }) => issue_id)));
    await Promise.all(
      this.#windows.map(async (window) => {
        const asked = getOrAdd(this.#asked, window, () => new Set<IssueId>());
        const found = getOrAdd(this.#found, window, () => new Map<IssueId, Holding>());
        for (const row of window.rows) found.set(row.issue_id, { window, row, matches: true });
        const missing = [...all].filter((id) => !found.has(id) && !asked.has(id));
        for (const id of missing) asked.add(id);
        for (const holding of await this.#lookUp(window, missing)) found.set(holding.row.issue_id, holding);
      }),
    );
    this.#merged.clear();
  }

  /**
   * The issue as it is listed; undefined where its place is on another page. Each issue is listed once: where the source whose value it bears has it,
   * or, for what adds up, the one with the greatest part.
   */
  mergedRow(issueId: IssueId): MergedRow | undefined {
    if (this.#merged.has(issueId)) return this.#merged.get(issueId);
    const merged = this.#merge(issueId);
    this.#merged.set(issueId, merged);
    return merged;
  }

  #merge(issueId: IssueId): MergedRow | undefined {
    const holdings = this.#windows.flatMap((window) => this.#found.get(window)?.get(issueId) ?? []);
    const [first, ...others] = holdings.map(({ row }) => row);
    if (first === undefined) return undefined;
    const whole = others.length === 0 ? first : mergeIssues([first, ...others]);
    const matching = holdings.filter(({ matches }) => matches);
    const bearers = matching.filter(({ row }) => this.#order.compareValue(row, whole) === 0);
    const lister = (bearers.length > 0 ? bearers : matching).reduce<Holding | undefined>(
      (best, one) => (best === undefined || this.#order.compare(one.row, best.row) < 0 ? one : best),
      undefined,
    );
    if (lister === undefined) return undefined;
    const { window, row } = lister;
    // It may have come into the window after that was read.
    if (!window.has(issueId) && !window.covers(row)) return undefined;
    const owners = holdings.map((holding) => holding.window.link.name);
    return { place: row, whole, owners, listings: matching.length };
  }

  async #lookUp(window: IssueWindow, issueIds: readonly IssueId[]): Promise<readonly Holding[]> {
    if (issueIds.length === 0) return [];
    const rows = await lookUpIssues(window.link, issueIds, '');
    const held = rows.map(({ issue_id }) => issue_id);
    if (held.length === 0) return [];
    const isAll = this.#query.trim() === '';
    const matching = isAll ? rows : await lookUpIssues(window.link, held, this.#query);
    const matchingIds = new Set(matching.map(({ issue_id }) => issue_id));
    return rows.map((row) => ({ window, row, matches: matchingIds.has(row.issue_id) }));
  }
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const present = map.get(key);
  if (present !== undefined) return present;
  const made = make();
  map.set(key, made);
  return made;
}
