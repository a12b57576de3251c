import type { IssueId } from '../../../core/event/ids.js';
import { MAX_QUERY_LENGTH } from '../../../core/query/parse-query.js';
import type { IssueSummary } from '../../../generated/reader-answers.js';
import type { SourceReader } from '../source.js';
import { isQuestionFault } from '../source-faults.js';
import type { IssueOrder } from './issue-order.js';
import type { IssueWindow } from './issue-window.js';
import { mergeIssues } from './merge-issues.js';
import type { SourceLink } from './source-link.js';

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

/** Ids in one question: within the lengths of queries, and of the number of values that they may hold. */
const MAX_IDS = 100;
const ID_LENGTH = 37;
const FRAME_LENGTH = '() issue_id:[]'.length;

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

/** Those of the named issues that a source has and that match; empty where it does not answer. */
async function lookUpIssues(
  link: SourceLink,
  issueIds: readonly IssueId[],
  query: string,
): Promise<readonly IssueSummary[]> {
  const room = Math.floor((MAX_QUERY_LENGTH - FRAME_LENGTH - query.length) / ID_LENGTH);
  const step = Math.max(1, Math.min(MAX_IDS, room));
  const pieces: IssueId[][] = [];
  for (let at = 0; at < issueIds.length; at += step) pieces.push(issueIds.slice(at, at + step));
  const found = await Promise.all(pieces.map((piece) => askFor(link, piece, query)));
  return found.flat();
}

async function askFor(link: SourceLink, issueIds: readonly IssueId[], query: string): Promise<readonly IssueSummary[]> {
  const named = `issue_id:[${issueIds.join(',')}]`;
  const narrowed = query.trim() === '' ? named : `(${query}) ${named}`;
  const options = { query: narrowed, limit: issueIds.length };
  const ask = (reader: SourceReader) => reader.listIssues(options);
  try {
    const answer = await link.ask(`lookup ${narrowed}`, ask);
    return 'value' in answer ? answer.value.issues : [];
  } catch (error) {
    // A query that is all but too long has no room for ids. Then an issue may stand in the list twice, which is better than not at all.
    if (isQuestionFault(error) && query.trim() !== '') return [];
    throw error;
  }
}
