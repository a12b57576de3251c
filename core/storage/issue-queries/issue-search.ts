import type { IssueStatus } from '../../../generated/reader-answers.js';
import type { FingerprintValue, IssueId } from '../../event/ids.js';
import { issueMatcher } from '../../query/match-query.js';
import type { QueryNode } from '../../query/query-ast.js';
import { SEARCH_TEXT_SEPARATOR, type SearchableIssue, searchTextOf } from '../../query/searchable.js';
import type { IndexContent } from '../index/content/index-content.js';
import type { IssueState } from '../index/content/issue-state.js';
import { BufferPool } from '../record/io/buffer-pool.js';
import type { IssueStatuses } from './issue-statuses.js';

/** Caches that speed up searches over the issues of one index. */
export class IssueSearch {
  readonly content: IndexContent;
  readonly buffers = new BufferPool();
  /** Search texts by ordinal, made on demand; they never change. */
  readonly #texts: string[] = [];

  constructor(content: IndexContent) {
    this.content = content;
  }

  /** Returns whether an issue matches a query, by ordinal; for one search. */
  matcher(query: QueryNode, statuses: IssueStatuses): (ordinal: number) => boolean {
    const view = this.view(statuses);
    const matches = issueMatcher(query, statuses.lifecycles.nowMs);
    return (ordinal) => {
      view.ordinal = ordinal;
      return matches(view);
    };
  }

  /** Set `ordinal` to move it to an issue. */
  view(statuses: IssueStatuses): IssueView {
    return new IssueView(statuses, (ordinal) => this.#textOf(ordinal));
  }

  #textOf(ordinal: number): string {
    const made = this.#texts[ordinal];
    if (made !== undefined) return made;
    const { title = '', errorName = '', message = '' } = this.content.issues.inOrder[ordinal] ?? {};
    const text = searchTextOf([title, errorName, message]);
    this.#texts[ordinal] = text;
    return text;
  }
}

/** An issue as queries see it, read on access: a search over 100,000 issues needs few of their values, and one object. */
class IssueView implements SearchableIssue {
  readonly #statuses: IssueStatuses;
  readonly #textOf: (ordinal: number) => string;
  /** Of the issue that it shows. */
  ordinal = 0;

  constructor(statuses: IssueStatuses, textOf: (ordinal: number) => string) {
    this.#statuses = statuses;
    this.#textOf = textOf;
  }

  get issueId(): IssueId {
    return this.#issue.issueId;
  }

  get fingerprint(): FingerprintValue {
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

  get culprit(): string | null {
    return this.#issue.culprit;
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

  get firstRelease(): string {
    return this.#issue.firstRelease;
  }

  get count(): number {
    return this.#issue.count;
  }

  get firstSeenMs(): number {
    return this.#issue.firstSeenMs;
  }

  get lastSeenMs(): number {
    return this.#issue.lastSeenMs;
  }

  get status(): IssueStatus {
    return this.#statuses.status(this.ordinal);
  }

  get isRegressed(): boolean {
    return this.#statuses.isRegressed(this.ordinal);
  }

  get isNew(): boolean {
    return this.#statuses.isNew(this.ordinal);
  }

  get isSpiking(): boolean {
    return this.#statuses.isSpiking(this.ordinal);
  }

  get isMerged(): boolean {
    return this.#statuses.isMerged(this.ordinal);
  }

  get assignee(): string | null {
    return this.#statuses.assignee(this.ordinal);
  }

  get regressedIn(): string | null {
    return this.#statuses.regressedIn(this.ordinal);
  }

  get searchText(): string {
    const members = this.#statuses.lifecycles.merged.membersOf(this.ordinal);
    if (members === undefined) return this.#textOf(this.ordinal);
    return members.map(({ ordinal }) => this.#textOf(ordinal)).join(SEARCH_TEXT_SEPARATOR);
  }

  get #issue(): IssueState {
    const issue = this.#statuses.issueAt(this.ordinal);
    if (issue === undefined) throw new Error(`Issue ${this.ordinal} does not exist.`);
    return issue;
  }
}
