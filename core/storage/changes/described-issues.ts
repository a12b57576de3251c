import { LRUCache } from 'lru-cache';
import type { IssueSummary } from '../../../generated/reader-answers.js';
import type { SearchableIssue } from '../../query/searchable.js';
import type { IssueState } from '../index/content/issue-state.js';
import type { IssueLifecycles } from '../issue-queries/issue-lifecycles.js';
import { searchableSummary, summarizeIssue } from '../issue-queries/issue-summary.js';

/** An issue as all listeners get it. */
export interface DescribedIssue {
  readonly summary: IssueSummary;
  readonly searchable: SearchableIssue;
}

/** Descriptions that are kept for the listeners that come to them later; others are made again. */
const MAX_DESCRIBED = 1_000;

/** Describes each issue once for all listeners, until `clear`. */
export class DescribedIssues {
  readonly #described = new LRUCache<IssueState, DescribedIssue>({ max: MAX_DESCRIBED });

  describe(shown: IssueState, lifecycles: IssueLifecycles): DescribedIssue {
    const before = this.#described.get(shown);
    if (before !== undefined) return before;
    const summary = summarizeIssue(shown, lifecycles);
    const described = { summary, searchable: searchableSummary(summary, shown, lifecycles.membersOf(shown)) };
    this.#described.set(shown, described);
    return described;
  }

  /** Forgets all descriptions, because the issues changed. */
  clear(): void {
    this.#described.clear();
  }
}
