import type { IssueStatus } from '../../../generated/reader-answers.js';
import { issueMatcher } from '../../query/match-query.js';
import type { QueryNode } from '../../query/query-ast.js';
import { SEARCH_TEXT_SEPARATOR, type SearchableIssue } from '../../query/searchable.js';
import type { TextPattern } from '../../query/text-pattern.js';
import type { IndexContent } from '../index/content/index-content.js';
import type { IssueState } from '../index/content/issue-state.js';
import { BufferPool } from '../record/io/buffer-pool.js';
import { IssueColumns } from './issue-columns.js';
import { SearchTexts } from './search-text.js';
import type { IssueStatuses } from './status-column.js';

/** Caches that speed up searches over the issues of one index. */
export class IssueSearch {
  readonly content: IndexContent;
  /** Refresh before each search. */
  readonly columns: IssueColumns;
  readonly buffers = new BufferPool();
  readonly #texts: SearchTexts;

  constructor(content: IndexContent) {
    this.content = content;
    this.columns = new IssueColumns(content);
    this.#texts = new SearchTexts(content.issues.inOrder);
  }

  /** Returns whether an issue matches a query, by ordinal; for one search. */
  matcher(query: QueryNode, statuses: IssueStatuses): (ordinal: number) => boolean {
    const { nowMs, merged } = statuses.lifecycles;
    const view = this.view(statuses);
    const holding = (part: string) => {
      const holds = this.#texts.holding(part);
      // `holds` is slow for ordinals out of order, as those of members are.
      return (one: IssueView) =>
        merged.membersOf(one.ordinal) === undefined ? holds(one.ordinal) : one.searchText.includes(part);
    };
    const coded = (field: string) => {
      const column = field === 'status' ? statuses : this.columns.coded(field);
      if (column === undefined) return undefined;
      return {
        codeOf: ({ ordinal }: IssueView) => column.codeOf(ordinal),
        valueOf: (code: number) => column.valueOf(code),
      };
    };
    const numbers = (field: string) => {
      const column = this.columns.numbers(field);
      return column && (({ ordinal }: IssueView) => column[ordinal] ?? 0);
    };
    const matches = issueMatcher<IssueView>(query, nowMs, { holding, coded, numbers });
    return (ordinal) => {
      view.ordinal = ordinal;
      return matches(view);
    };
  }

  /** Returns whether the own title of an issue matches, by ordinal. */
  titleMatcher(pattern: TextPattern): (ordinal: number) => boolean {
    return this.#texts.titleMatcher(pattern);
  }

  /** Set `ordinal` to move it to an issue. */
  view(statuses: IssueStatuses): IssueView {
    return new IssueView(statuses, this.#texts);
  }
}

/** An issue as queries see it, read on access; set `ordinal` to move the view to another issue. */
class IssueView implements SearchableIssue {
  readonly #issues: readonly IssueState[];
  readonly #shown: ReadonlyMap<number, IssueState>;
  readonly #statuses: IssueStatuses;
  readonly #searchTexts: SearchTexts;
  ordinal = 0;

  constructor(statuses: IssueStatuses, searchTexts: SearchTexts) {
    this.#issues = statuses.lifecycles.issues.inOrder;
    this.#shown = statuses.lifecycles.merged.shown;
    this.#statuses = statuses;
    this.#searchTexts = searchTexts;
  }

  get #issue(): IssueState {
    const issue = (this.#shown.size > 0 ? this.#shown.get(this.ordinal) : undefined) ?? this.#issues[this.ordinal];
    if (issue === undefined) throw new Error(`Issue ${this.ordinal} does not exist.`);
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

  get count(): number {
    return this.#issue.count;
  }

  get firstSeenMs(): number {
    return this.#issue.firstSeenMs;
  }

  get lastSeenMs(): number {
    return this.#issue.lastSeenMs;
  }

  get searchText(): string {
    const members = this.#statuses.lifecycles.merged.membersOf(this.ordinal) ?? [this];
    return members.map(({ ordinal }) => this.#searchTexts.textOf(ordinal)).join(SEARCH_TEXT_SEPARATOR);
  }
}
