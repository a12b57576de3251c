import { issueMatcher } from '../../query/match-query.js';
import type { QueryNode } from '../../query/query-ast.js';
import { SEARCH_TEXT_SEPARATOR, type SearchableIssue } from '../../query/searchable.js';
import type { TextPattern } from '../../query/text-pattern.js';
import type { IndexContent } from '../index/content/index-content.js';
import type { IssueState } from '../index/content/issue-state.js';
import { BufferPool } from '../record/io/buffer-pool.js';
import { allocateSearchable } from '../record/io/pair-finder.js';
import { IssueColumns } from './issue-columns.js';
import { SearchTexts } from './search-text.js';
import type { IssueStatuses } from './status-column.js';

/** Caches that speed up searches over the issues of one index. */
export class IssueSearch {
  readonly content: IndexContent;
  /** Refresh before each search. */
  readonly columns: IssueColumns;
  readonly buffers = new BufferPool(allocateSearchable);
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
    return createView(statuses, this.#texts);
  }
}

/** An issue as queries see it, read on access; set `ordinal` to move the view to another issue. */
type IssueView = SearchableIssue & { ordinal: number };

/** What queries read of the issue itself. */
const ISSUE_FIELDS = [
  ...(['issueId', 'fingerprint', 'app', 'service', 'title', 'culprit', 'errorName', 'message', 'level'] as const),
  ...(['type', 'environments', 'releases', 'firstRelease', 'count', 'firstSeenMs', 'lastSeenMs'] as const),
];

/** What queries read of its state. */
const STATUS_FIELDS = ['status', 'isRegressed', 'isNew', 'isSpiking', 'isMerged', 'assignee', 'regressedIn'] as const;

function createView(statuses: IssueStatuses, texts: SearchTexts): IssueView {
  const { issues, merged } = statuses.lifecycles;
  const states = {
    ordinal: 0,
    get searchText(): string {
      const members = merged.membersOf(states.ordinal) ?? [states];
      return members.map(({ ordinal }) => texts.textOf(ordinal)).join(SEARCH_TEXT_SEPARATOR);
    },
  };
  const issueNow = (): IssueState => {
    const issue =
      (merged.shown.size > 0 ? merged.shown.get(states.ordinal) : undefined) ?? issues.inOrder[states.ordinal];
    if (issue === undefined) throw new Error(`Issue ${states.ordinal} does not exist.`);
    return issue;
  };
  for (const field of ISSUE_FIELDS) Object.defineProperty(states, field, { get: () => issueNow()[field] });
  for (const field of STATUS_FIELDS)
    Object.defineProperty(states, field, { get: () => statuses[field](states.ordinal) });
  return states as typeof states & Pick<SearchableIssue, (typeof ISSUE_FIELDS | typeof STATUS_FIELDS)[number]>;
}
