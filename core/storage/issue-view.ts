import type { SearchableIssue } from '../query/searchable.js';
import type { IssueStatus } from '../reader.js';
import type { IssueState } from './index/issue-state.js';
import type { SearchTexts } from './search-texts.js';

/** What issues of one index have in common when they are searched. */
export interface ViewContext {
  /** By ordinal. */
  readonly issues: readonly IssueState[];
  readonly statusOf: (ordinal: number) => IssueStatus;
  readonly searchTexts: SearchTexts;
}

/**
 * An issue as a query sees it; what most queries do not ask for is computed when it is asked for.
 * One view is turned to one issue after the other, and looks at the issue only when asked: 100,000 of them lie all over the memory.
 */
export class IssueView implements SearchableIssue {
  readonly #context: ViewContext;
  /** Of the issue that is seen; one that exists. */
  ordinal = 0;

  constructor(context: ViewContext) {
    this.#context = context;
  }

  get #issue(): IssueState {
    const issue = this.#context.issues[this.ordinal];
    if (issue === undefined) throw new Error(`There is no issue ${this.ordinal} to look at.`);
    return issue;
  }

  get issueId(): IssueState['issueId'] {
    return this.#issue.issueId;
  }

  get fingerprint(): IssueState['fingerprint'] {
    return this.#issue.fingerprint;
  }

  get app(): string {
    return this.#issue.app;
  }

  get service(): string {
    return this.#issue.service;
  }

  get title(): string {
    return this.#issue.title;
  }

  get errorName(): string {
    return this.#issue.errorName;
  }

  get message(): string {
    return this.#issue.message;
  }

  get level(): string {
    return this.#issue.level;
  }

  get type(): string {
    return this.#issue.type;
  }

  get environments(): readonly string[] {
    return this.#issue.environments;
  }

  get releases(): readonly string[] {
    return this.#issue.releases;
  }

  get status(): IssueStatus {
    return this.#context.statusOf(this.ordinal);
  }

  get searchText(): string {
    return this.#context.searchTexts.textOf(this.ordinal);
  }
}
