import { type SearchableIssue, searchTextOf } from '../query/searchable.js';
import type { IssueStatus } from '../reader.js';
import type { IssueState } from './index/issue-state.js';

/** What issues of one index have in common when they are searched. */
export interface ViewContext {
  readonly statusOf: (issue: IssueState) => IssueStatus;
  /** By ordinal, filled as searches need them: to make those of 100,000 issues takes longer than to search them. */
  readonly searchTexts: string[];
}

/** An issue as a query sees it; what most queries do not ask for is computed when it is asked for. */
export class IssueView implements SearchableIssue {
  readonly #issue: IssueState;
  readonly #context: ViewContext;

  constructor(issue: IssueState, context: ViewContext) {
    this.#issue = issue;
    this.#context = context;
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
    return this.#context.statusOf(this.#issue);
  }

  get searchText(): string {
    const { ordinal, title, errorName, message } = this.#issue;
    this.#context.searchTexts[ordinal] ??= searchTextOf([title, errorName, message]);
    return this.#context.searchTexts[ordinal];
  }
}
