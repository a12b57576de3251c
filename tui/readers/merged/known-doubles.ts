import type { IssueId } from '../../../core/event/ids.js';
import type { MergedRow } from './issue-holdings.js';

/** Lists whose doubles are remembered. */
const MAX_LISTS = 16;
/** Issues whose sources are remembered, and doubles of one list. */
const MAX_ISSUES = 100_000;

/** Which sources have the issues that were read, and how many issues of a list stand in several sources, as far as it was read. */
export class KnownDoubles {
  readonly #owners = new Map<IssueId, readonly string[]>();
  /** By list: how often more than once an issue is listed. */
  readonly #extra = new Map<string, Map<IssueId, number>>();

  /** Takes the rows of a page; `list` names query and sources. */
  learn(list: string, rows: readonly MergedRow[]): void {
    const extra = this.#extra.get(list) ?? new Map<IssueId, number>();
    this.#extra.delete(list);
    this.#extra.set(list, extra);
    for (const { whole, owners, listings } of rows) {
      this.learnOwners(whole.issue_id, owners);
      if (listings > 1) extra.set(whole.issue_id, listings - 1);
      else extra.delete(whole.issue_id);
    }
    forgetOldest(extra, MAX_ISSUES);
    forgetOldest(this.#extra, MAX_LISTS);
  }

  learnOwners(issueId: IssueId, owners: readonly string[]): void {
    this.#owners.delete(issueId);
    this.#owners.set(issueId, owners);
    forgetOldest(this.#owners, MAX_ISSUES);
  }

  /** Empty for an issue that was not read yet. */
  ownersOf(issueId: IssueId): readonly string[] {
    return this.#owners.get(issueId) ?? [];
  }

  /** How many rows of the sources' lists are no issue of their own. */
  count(list: string): number {
    return [...(this.#extra.get(list)?.values() ?? [])].reduce((sum, extra) => sum + extra, 0);
  }
}

function forgetOldest(map: Map<unknown, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}
