import { LRUCache } from 'lru-cache';
import type { IssueId } from '../event/ids.js';
import type { MergedRow } from './issue-copies.js';

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
