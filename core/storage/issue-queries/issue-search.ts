import { issueMatcher } from '../../query/match-query.js';
import type { QueryNode } from '../../query/query-ast.js';
import type { TextPattern } from '../../query/text-pattern.js';
import type { IndexContent } from '../index/content/index-content.js';
import { ReadBufferPool } from '../record/io/read-buffer-pool.js';
import { IssueColumns } from './issue-columns.js';
import { IssueView } from './issue-view.js';
import { SearchTexts } from './search-text.js';
import type { IssueStatuses } from './status-column.js';

/** Caches that speed up searches over the issues of one index. */
export class IssueSearch {
  readonly content: IndexContent;
  /** Refresh before each search. */
  readonly columns: IssueColumns;
  readonly buffers = new ReadBufferPool();
  readonly #texts: SearchTexts;

  constructor(content: IndexContent) {
    this.content = content;
    this.columns = new IssueColumns(content);
    this.#texts = new SearchTexts(content.issues.inOrder);
  }

  /** Returns whether an issue matches a query, by ordinal; for one search. */
  matcher(query: QueryNode, statuses: IssueStatuses): (ordinal: number) => boolean {
    const { nowMs } = statuses.lifecycles;
    const view = this.view(statuses);
    const holding = (part: string) => {
      const holds = this.#texts.holding(part);
      return ({ ordinal }: IssueView) => holds(ordinal);
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
