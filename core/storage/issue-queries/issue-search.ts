import { issueMatcher } from '../../query/match-query.js';
import type { QueryNode } from '../../query/query-ast.js';
import { SEARCH_TEXT_SEPARATOR, type SearchableIssue, searchTextOf } from '../../query/searchable.js';
import type { IndexContent } from '../index/content/index-content.js';
import type { IssueState } from '../index/content/issue-state.js';
import { BufferPool } from '../record/io/buffer-pool.js';
import { allocateSearchable } from '../record/io/pair-finder.js';
import type { IssueStatuses } from './issue-statuses.js';

/** An issue as queries see it, read on access; set `ordinal` to move the view to another issue. */
type IssueView = SearchableIssue & { ordinal: number };

/** What queries read of the issue itself. */
const ISSUE_FIELDS = [
  ...(['issueId', 'fingerprint', 'app', 'service', 'title', 'culprit', 'errorName', 'message', 'level'] as const),
  ...(['type', 'environments', 'releases', 'firstRelease', 'count', 'firstSeenMs', 'lastSeenMs'] as const),
];

/** What queries read of its state. */
const STATUS_FIELDS = ['status', 'isRegressed', 'isNew', 'isSpiking', 'isMerged', 'assignee', 'regressedIn'] as const;

/** Caches that speed up searches over the issues of one index. */
export class IssueSearch {
  readonly content: IndexContent;
  readonly buffers = new BufferPool(allocateSearchable);
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
    return new ShownIssue(statuses, (ordinal) => this.#textOf(ordinal)) as ShownIssue & IssueView;
  }

  #textOf(ordinal: number): string {
    const known = this.#texts[ordinal];
    if (known !== undefined) return known;
    const { title = '', errorName = '', message = '' } = this.content.issues.inOrder[ordinal] ?? {};
    const text = searchTextOf([title, errorName, message]);
    this.#texts[ordinal] = text;
    return text;
  }
}

class ShownIssue {
  readonly statuses: IssueStatuses;
  readonly #textOf: (ordinal: number) => string;
  ordinal = 0;

  constructor(statuses: IssueStatuses, textOf: (ordinal: number) => string) {
    this.statuses = statuses;
    this.#textOf = textOf;
  }

  get issue(): IssueState {
    const issue = this.statuses.issueAt(this.ordinal);
    if (issue === undefined) throw new Error(`Issue ${this.ordinal} does not exist.`);
    return issue;
  }

  get searchText(): string {
    const members = this.statuses.lifecycles.merged.membersOf(this.ordinal);
    if (members === undefined) return this.#textOf(this.ordinal);
    return members.map(({ ordinal }) => this.#textOf(ordinal)).join(SEARCH_TEXT_SEPARATOR);
  }
}

// On the prototype, so that all views have one shape: V8 then inlines the access.
for (const field of ISSUE_FIELDS)
  Object.defineProperty(ShownIssue.prototype, field, {
    get(this: ShownIssue) {
      return this.issue[field];
    },
  });
for (const field of STATUS_FIELDS)
  Object.defineProperty(ShownIssue.prototype, field, {
    get(this: ShownIssue) {
      return this.statuses[field](this.ordinal);
    },
  });
